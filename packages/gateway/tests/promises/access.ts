import type { Promised } from './promise.ts'

export const accessPromises = {
  I25: {
    en: 'No channel reads, changes or infers a document of another channel, whatever the id.',
    zh: '无论使用什么 id，渠道都无法读取、修改或推断其他渠道的单据。',
    ko: '어떤 id를 사용해도 채널은 다른 채널의 문서를 조회하거나 변경하거나 추측할 수 없습니다.',
    triedBy: {
      'packages/gateway/tests/order-access.test.ts': ['a document of another channel', 'an idempotency key'],
    },
  },
  I26: {
    en: 'The MCP action `call_endpoint` returns the status, body and charge of the same REST call.',
    zh: 'MCP 操作 `call_endpoint` 返回的状态码、响应体和消耗的点数与对应的 REST 调用相同。',
    ko: 'MCP 작업 `call_endpoint`는 같은 REST 호출과 동일한 상태 코드, 본문, 포인트 차감을 반환합니다.',
    triedBy: {
      'packages/gateway/tests/mcp-call-endpoint.test.ts': [
        'is answered and charged by every endpoint as over HTTP',
      ],
    },
  },
  I27: {
    en: 'A revocation takes effect in every process within a second, and at once in the process that made it.',
    zh: '吊销令牌后，一秒内对所有进程生效，在执行吊销的进程中立即生效。',
    ko: '토큰 폐기는 1초 안에 모든 프로세스에 적용되며, 폐기를 실행한 프로세스에는 즉시 적용됩니다.',
    triedBy: {
      'packages/gateway/tests/faults/four-processes.test.ts': [
        'sees a revocation everywhere within a second',
      ],
      'packages/gateway/tests/faults/behind-nginx.test.ts': [
        'refuse a permission that was withdrawn, within a second everywhere',
      ],
      'packages/gateway/tests/access-revocation.test.ts': ['a change of permissions'],
      'packages/gateway/tests/access-revoke.test.ts': ['an order that waits in a queue'],
    },
  },
  I28: {
    en: 'If permissions cannot be read, known tokens work for at most 60 seconds. After that the gateway returns `AUTHZ_UNAVAILABLE` and never opens.',
    zh: '如果无法读取权限，已知令牌最多再有效 60 秒；此后网关返回 `AUTHZ_UNAVAILABLE`，绝不放行。',
    ko: '권한을 읽을 수 없으면 이미 확인된 토큰은 최대 60초 동안만 동작합니다. 그 뒤에는 `AUTHZ_UNAVAILABLE`을 반환하며 허용하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/access-outage.test.ts': [
        'while the store of permissions is gone',
        'a store that comes back',
      ],
    },
  },
  I29: {
    en: 'Guesses of a password are at most five in any 15 minutes, and they stop nobody who has a token.',
    zh: '任意 15 分钟内最多能猜测五次密码，且不影响已持有令牌的用户。',
    ko: '비밀번호 추측은 어떤 15분 구간에서도 최대 다섯 번이며, 이미 토큰을 가진 사용자를 막지 않습니다.',
    triedBy: {
      'packages/gateway/tests/guesses.test.ts': ['guesses of a password'],
      'packages/gateway/tests/faults/behind-nginx.test.ts': ['lock a name and an address for all of them'],
      'packages/gateway/tests/access-lockout.test.ts': ['a name'],
    },
  },
  I30: {
    en: 'No password, client secret or token is in any table or log line in plain text. ERP sessions, webhook secrets, stored responses and signing keys are encrypted with AES-256-GCM.',
    zh: '任何表和日志行中都没有明文密码、客户端密钥或令牌；ERP 会话、Webhook 密钥、保存的响应和签名密钥以 AES-256-GCM 加密。',
    ko: '어떤 테이블이나 로그에도 비밀번호, 클라이언트 시크릿, 토큰이 평문으로 남지 않습니다. ERP 세션, 웹훅 시크릿, 저장된 응답, 서명 키는 AES-256-GCM으로 암호화됩니다.',
    triedBy: { 'packages/gateway/tests/access-secrecy.test.ts': ['secrets', 'what is sealed'] },
  },
  D1: {
    en: 'The gateway verifies a token on every call. A forged, altered, foreign or expired token is refused.',
    zh: '网关在每次调用时校验令牌；伪造、篡改、他处签发或过期的令牌一律拒绝。',
    ko: '게이트웨이는 호출마다 토큰을 검증합니다. 위조, 변조되었거나 다른 설치본에서 발급되었거나 만료된 토큰은 거부합니다.',
    triedBy: {
      'packages/gateway/tests/access-jwt.test.ts': ['what is not an access token'],
      'packages/gateway/tests/bad-input-access.test.ts': ['a forged token is refused'],
    },
  },
  D4: {
    en: 'A token of the legacy gateway works until its date and not a millisecond longer.',
    zh: '旧版网关的令牌在规定日期之前有效，此后一毫秒也不再有效。',
    ko: '구 게이트웨이의 토큰은 정해진 날짜까지만 유효하며 그 뒤로는 1밀리초도 유효하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/access-legacy.test.ts': ['a legacy token', 'what is no legacy token'],
    },
  },
  D6: {
    en: 'A rotation of `SECRETS_KEY` needs no stop and leaves no value that a process cannot open.',
    zh: '轮换 `SECRETS_KEY` 无需停机，也不会留下进程无法解密的值。',
    ko: '`SECRETS_KEY` 교체에는 중단이 필요 없으며, 교체 후에도 프로세스가 열 수 없는 값은 남지 않습니다.',
    triedBy: { 'packages/gateway/tests/secrets-key.test.ts': ['a rotation of SECRETS_KEY'] },
  },
  I41: {
    en: 'The recipients of drop-ship orders are encrypted at rest. An erased recipient is in no table, also not for whoever has the key, and nothing brings it back.',
    zh: '一件代发订单的收件人加密保存。被删除的收件人不再出现在任何表中，即使持有密钥也无法读出，此后也不会再被写回。',
    ko: '위탁배송 주문의 수취인은 암호화해 저장합니다. 삭제한 수취인은 어떤 테이블에도 남지 않아 키가 있어도 읽을 수 없고, 다시 저장되지도 않습니다.',
    triedBy: {
      'packages/gateway/tests/recipients.test.ts': [
        'a recipient at rest',
        'rows from before the upgrade',
        'an erasure',
        'keeps every person to be found, before, during and after it',
      ],
    },
  },
  D8: {
    en: '`ADMIN_TOKEN` is compared as a whole, wrong values are slowed, and secrets of fewer than 32 characters refuse the start.',
    zh: '`ADMIN_TOKEN` 按整体比较，错误的尝试会被限速；少于 32 个字符的密钥会使网关拒绝启动。',
    ko: '`ADMIN_TOKEN`은 전체를 비교하고 잘못된 시도는 제한합니다. 32자 미만의 시크릿이 있으면 시작하지 않습니다.',
    triedBy: {
      'packages/gateway/tests/access-admin.test.ts': ['the admin token'],
      'packages/gateway/tests/access-admin-brake.test.ts': ['wrong admin tokens'],
      'packages/gateway/tests/start-settings.test.ts': ['ends with 78 for short secrets'],
    },
  },
  D14: {
    en: 'The pages have no scripts of their own and load nothing from other hosts.',
    zh: '页面自身不含脚本，也不从其他主机加载任何内容。',
    ko: '페이지에는 인라인 스크립트가 없고 다른 호스트에서 아무것도 불러오지 않습니다.',
    triedBy: { 'packages/gateway/tests/pages.test.ts': ['is a whole document without scripts'] },
  },
  D15: {
    en: 'Each use of the operator’s endpoints has a row in the audit log, written in the commit of the change. Without `SECRETS_KEY`, nobody changes, removes or inserts a row unnoticed.',
    zh: '每次使用运维人员接口都会在审计日志中留下一行，与变更在同一事务中提交。没有 `SECRETS_KEY` 的人，无法在不被发现的情况下修改、删除或插入记录。',
    ko: '운영자 엔드포인트를 사용할 때마다 변경과 같은 커밋으로 감사 로그에 행이 기록됩니다. `SECRETS_KEY`를 모르는 사람은 들키지 않고 기록을 변경, 삭제, 삽입할 수 없습니다.',
    triedBy: {
      'packages/gateway/tests/access-admin.test.ts': ['the record of every use'],
      'packages/gateway/tests/audit-chain.test.ts': ['a change of the table by somebody without the key'],
    },
  },
} as const satisfies Readonly<Record<string, Promised>>
