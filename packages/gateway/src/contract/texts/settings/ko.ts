import type { SettingName } from './en.ts'

export const settingsKo: Readonly<Record<SettingName, string>> = {
  UPSTREAM_URL: 'ERP 커넥터의 URL. 지정하지 않으면 내장 ERP를 실행합니다.',
  UPSTREAM_TOKEN: '게이트웨이가 커넥터에 보내는 토큰. ASCII 문자를 사용합니다.',
  HOST: '게이트웨이의 수신 주소',
  PORT: '게이트웨이의 수신 포트',
  BASE_URL: '게이트웨이의 공개 URL. 지정하지 않으면 수신 주소를 사용합니다.',
  DATA_DIR: '내장 데이터베이스와 자동으로 생성된 설정의 디렉터리',
  DATABASE_URL: '내장 데이터베이스 대신 사용할 PostgreSQL. 프로세스가 둘 이상이면 필수입니다.',
  PROCESSES: '포트를 함께 서비스하는 프로세스 수(1~64). 두 개 이상이면 PostgreSQL과 자체 ERP가 필요합니다',
  VALKEY_URL: '프로세스가 계산을 공유하는 Valkey 또는 Redis. `VALKEY_URL_FILE`로도 지정할 수 있습니다.',
  ADMIN_TOKEN:
    '`/admin/api`를 여는 토큰. ASCII 문자 32자 이상입니다. 지정하지 않으면 콘솔이 비활성화되며, 샌드박스에서는 자동으로 생성됩니다.',
  METRICS_TOKEN:
    '`/metrics`를 읽을 수 있는 Bearer 토큰. ASCII 문자 32자 이상입니다. 관리자 토큰으로는 언제나 읽을 수 있습니다.',
  METRICS_PUBLIC: '`1`이면 누구나 `/metrics`를 읽을 수 있습니다.',
  WRITES_ENABLED: '`0`이면 ERP에 대한 쓰기를 거부합니다. 읽기는 동작합니다.',
  SYNC_INTERVAL_MS: '게이트웨이가 ERP의 변경을 폴링하는 간격(밀리초)',
  SECRETS_KEY:
    '데이터베이스의 비밀 값을 암호화하는 키. 32자 이상이며, 데이터베이스를 공유하는 모든 프로세스에서 같아야 합니다. 처음 시작할 때 자동으로 생성됩니다.',
  SECRETS_KEY_PREVIOUS:
    '`SECRETS_KEY`를 교체하는 동안 데이터베이스의 비밀 값을 복호화하는 또 다른 키. 32자 이상입니다.',
  TOKEN_TTL_SECONDS: '토큰의 유효 시간(초)',
  LEGACY_TOKEN_SECRET: '구 게이트웨이 토큰의 시크릿. 32자 이상입니다.',
  LEGACY_TOKENS_UNTIL: '구 게이트웨이의 토큰을 받는 기한',
  TRUST_PROXY: '`X-Forwarded-For` 헤더를 신뢰할 네트워크',
  RATE_LIMIT_POINTS: '채널이 60초 동안 쓸 수 있는 포인트',
  HOLD_TTL_SECONDS: '미리보기가 재고를 선점하는 시간(초)',
  DUPLICATE_WINDOW_SECONDS: '같은 수취인의 두 번째 위탁배송 주문을 중복으로 의심하는 시간(초)',
  WEBHOOK_ALLOW_PRIVATE_NETS:
    '사설 주소, http, 모든 포트로 웹훅을 보낼 수 있게 합니다. 개발용으로만 사용하세요.',
  SANDBOX_SEED: '내장 ERP 상품의 시드',
  SANDBOX_CATALOGUE: '내장 ERP에 사용할 자체 상품의 CSV 파일',
  SANDBOX_STYLES:
    '내장 ERP의 스타일 수. 스타일마다 SKU가 약 10개 있습니다. 수를 바꾸려면 다른 `DATA_DIR`을 사용해야 합니다.',
  SANDBOX_ACTIVITY: '내장 ERP에서 1분마다 시뮬레이션하는 재고 변경 수. 0이면 끕니다.',
  LOG_LEVEL: '로그 수준. `debug`, `info`, `warn`, `error`, `silent` 중 하나입니다.',
  LOG_REQUESTS:
    '요청 로그에 남길 요청. `notable`(쓰기, 실패, 250ms보다 느린 조회) 또는 `all`. 그 밖의 요청은 횟수만 기록합니다. `none`이면 요청을 기록하지도 세지도 않습니다.',
  LOG_REQUESTS_DAYS: '요청 로그를 보관하는 일수',
  AUDIT_DAYS: '감사 로그를 보관하는 일수',
  RECIPIENT_RETENTION_DAYS:
    '위탁배송 주문이 끝난 뒤 수취인 데이터를 삭제할 때까지의 일수. 설정하지 않으면 계속 보관합니다.',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'OpenTelemetry 수집기의 기본 URL. 트레이스를 OTLP/HTTP로 보냅니다.',
  OTEL_TRACES_SAMPLER_ARG:
    '게이트웨이에서 시작하는 트레이스 중 기록할 비율(0~1). 호출자가 시작한 트레이스는 호출자가 기록할 때 함께 기록합니다.',
  WAREHOUSE_VIEWS: '통합 창고와 그에 속한 창고',
  MCP_ALLOWED_ORIGINS:
    '브라우저의 페이지가 `POST /mcp`를 호출하고 응답을 읽을 수 있는 출처. 쉼표로 구분합니다.',
}
