import type { SettingName } from './en.ts'

export const settingsKo: Readonly<Record<SettingName, string>> = {
  UPSTREAM_URL: 'ERP 커넥터의 주소: 없으면 내장 ERP를 씁니다',
  UPSTREAM_TOKEN: '게이트웨이가 커넥터에 제시하는 토큰',
  HOST: '수신 주소',
  PORT: '수신 포트',
  BASE_URL: '외부에서 접근하는 주소: 없으면 수신 주소입니다',
  DATA_DIR: '내장 데이터베이스와 자동으로 만든 설정이 있는 폴더',
  DATABASE_URL: '내장 데이터베이스 대신 PostgreSQL을 씁니다. 프로세스가 둘 이상이면 필요합니다',
  ADMIN_TOKEN: '/admin/api를 엽니다. 없으면 콘솔이 꺼지고, 샌드박스에서는 자동으로 만듭니다',
  WRITES_ENABLED: '0이면 ERP 쓰기를 거부하고 읽기는 됩니다',
  SYNC_INTERVAL_MS: 'ERP에 변경을 묻는 간격(밀리초)',
  SECRETS_KEY:
    '데이터베이스의 시크릿을 봉인합니다. 32자 이상이며 같은 데이터베이스를 쓰는 모든 프로세스가 같아야 합니다. 처음 시작할 때 만듭니다',
  TOKEN_TTL_SECONDS: '토큰의 유효 시간(초)',
  LEGACY_TOKEN_SECRET: '이전 게이트웨이 토큰의 시크릿',
  LEGACY_TOKENS_UNTIL: '이전 토큰을 받아들이는 기한',
  TRUST_PROXY: 'X-Forwarded-For를 믿을 네트워크',
  RATE_LIMIT_POINTS: '채널이 60초 동안 쓸 수 있는 포인트',
  HOLD_TTL_SECONDS: '미리보기가 재고를 선점하는 시간(초)',
  DUPLICATE_WINDOW_SECONDS: '같은 수취인의 같은 위탁배송 주문을 중복으로 의심하는 시간(초)',
  WEBHOOK_ALLOW_PRIVATE_NETS: '1이면 http, 사설 주소, 모든 포트로도 웹훅을 보냅니다. 개발용입니다',
  SANDBOX_SEED: '내장 ERP 상품의 시드',
  SANDBOX_CATALOGUE: '내장 ERP에 쓸 내 상품의 CSV 파일',
  SANDBOX_ACTIVITY: '내장 ERP가 1분에 만들어 내는 재고 변경 수: 0이면 멈춰 있습니다',
  LOG_LEVEL: '로그 수준',
  WAREHOUSE_VIEWS: '합산 보기와 그에 속한 창고',
}
