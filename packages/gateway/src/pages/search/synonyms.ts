/**
 * What readers may type for a topic that has another name here, in all languages, by the address of a page or section.
 * The words count as much as the words of a title.
 */
export const synonyms: Readonly<Record<string, string>> = {
  '/docs/quickstart': 'getting started hello world first order install 入门 安装 开始 시작하기 설치 첫 주문',
  '/docs/tutorial':
    'tutorial step by step course example project build a channel go live 教程 从零开始 示例项目 上线 튜토리얼 단계별 예제 프로젝트 실습',
  '/docs/sdk': 'sdk client library typescript javascript node 客户端库 开发包 클라이언트 라이브러리',
  '/docs/guides/two-grants':
    'authentication authenticate authorization login log in sign in oauth bearer token credentials client secret 认证 鉴权 身份验证 登录 令牌 인증 로그인 토큰 권한 부여',
  '/docs/guides/keep-stock-in-sync':
    'inventory stock sync delta incremental change feed polling checksum cursor 库存 同步 增量 变更 재고 동기화 증분 변경',
  '/docs/guides/wholesale-order': 'purchase order bulk b2b 批发 采购 下单 도매 발주 주문',
  '/docs/guides/dropship-order':
    'dropshipping drop shipping fulfilment fulfillment end customer 一件代发 代发 위탁배송 드롭쉬핑 드랍쉽',
  '/docs/guides/cancel-and-release':
    'cancel cancellation void release return refund abort 取消 撤销 作废 释放 취소 해제 철회',
  '/docs/guides/retries-and-idempotency':
    'retry retries idempotency idempotency-key timeout unknown outcome exactly once duplicate backoff 重试 幂等 超时 重复提交 재시도 멱등 멱등키 중복 방지 타임아웃',
  '/docs/guides/receive-webhooks':
    'webhook callback notification push event subscribe endpoint 回调 通知 推送 事件 订阅 웹훅 콜백 알림 이벤트 구독',
  '/docs/guides/receive-webhooks#verify-the-signature':
    'signature verification verify signing hmac secret 签名 验签 签名校验 서명 서명 검증',
  '/docs/guides/receive-webhooks#rotate-the-secret': 'rotate secret 轮换 密钥 교체 시크릿',
  '/docs/guides/receive-webhooks#when-your-receiver-is-down':
    'dead letter redelivery replay failed delivery 死信 重新投递 데드 레터 재전송',
  '/docs/guides/reconcile-a-month':
    'reconciliation statement balance bill invoice accounting 对账 账单 余额 发票 정산 대사 청구서 잔액',
  '/docs/guides/points-and-limits':
    'rate limit rate limiting quota throttling points too many requests budget 限流 配额 点数 频率限制 限速 호출 한도 속도 제한 포인트 쿼터',
  '/docs/guides/migrate-from-api':
    'migration migrate legacy old api upgrade 迁移 旧版 升级 마이그레이션 이전 구버전',
  '/docs/agents/connect-an-agent':
    'mcp agent llm ai claude cursor assistant 智能体 大模型 人工智能 에이전트 인공지능',
  '/docs/sandbox':
    'test environment testing fault simulate mock 沙盒 测试 模拟 故障 샌드박스 테스트 모의 장애',
  '/docs/deploy':
    'docker kubernetes helm container compose production 部署 容器 生产 배포 컨테이너 운영 환경',
  '/docs/monitor':
    'metrics prometheus grafana alerts tracing opentelemetry observability 监控 指标 告警 모니터링 지표 경보',
  '/docs/capacity': 'sizing capacity memory throughput cores processes 容量 内存 吞吐量 용량 메모리 처리량',
  '/docs/backup': 'backup restore recovery 备份 恢复 还原 백업 복구 복원',
  '/docs/operate#health': 'health check liveness readiness probe 健康检查 探针 상태 점검 프로브',
  '/docs/operate#read-only-mode': 'maintenance read-only 只读 维护 읽기 전용 점검',
  '/docs/security#personal-data': 'privacy gdpr pii personal data 隐私 个人信息 개인정보',
  '/docs/operate': 'run operate production shutdown 运维 运行 운영 실행',
  '/docs/configuration': 'settings environment variables env config 配置 环境变量 设置 설정 환경 변수',
  '/docs/glossary': 'terms definitions vocabulary 术语 词汇 용어 정의',
  '/docs/versioning':
    'version deprecation sunset breaking change compatibility 版本 弃用 兼容 버전 지원 중단 호환',
  '/changelog': 'release notes what is new history 更新日志 发布说明 변경 이력 릴리스 노트',
  '/reference': 'api list of endpoints 接口列表 엔드포인트 목록',
  '/reference#rules':
    'pagination paging page page_size has_more conventions base url 分页 翻页 约定 페이지네이션 페이지 나누기 페이징 규칙',
  '/errors/RATE_LIMITED': 'throttled too many requests 429 超限 点数已用完 한도 초과',
  '/errors/AUTH_INVALID_TOKEN': 'unauthorized 未授权 인증 실패',
  '/errors/AUTH_EXPIRED': 'unauthorized expired token 令牌过期 토큰 만료',
  '/errors/AUTH_BAD_CREDENTIALS': 'wrong password 密码错误 비밀번호 오류',
  '/errors/SCOPE_DENIED': 'forbidden permission 无权限 권한 없음',
  '/errors/READ_ONLY_MODE': 'forbidden maintenance 维护 점검',
  '/errors/UPSTREAM_REJECTED': 'out of stock insufficient 缺货 库存不足 재고 부족 품절',
  '/errors/UPSTREAM_TIMEOUT': 'gateway timeout 超时 시간 초과',
  '/errors/DUPLICATE_SUSPECTED': 'conflict 重复订单 중복 주문',
}
