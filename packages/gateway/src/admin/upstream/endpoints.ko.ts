/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
const writeFields = {
  enabled: '설정에서 쓰기를 허용하는지 여부(`WRITES_ENABLED`)',
  paused_at: '일시 중지를 시작한 시각. 중지 중이 아니면 null입니다.',
  paused_until: '일시 중지가 자동으로 끝나는 시각. 중지 중이 아니면 null입니다.',
  paused_by: '쓰기를 일시 중지한 사람. `X-Admin-Actor` 값입니다.',
  reason: '일시 중지한 이유. 다른 운영자를 위한 것이며 채널에는 표시되지 않습니다.',
}

export const ko = {
  'admin.upstream.read': {
    source: 'bed64cf3',
    summary: 'ERP 연결 상태 조회',
    description:
      '이 프로세스에서 본 ERP의 상태입니다. 서킷 브레이커, ERP가 알린 기능, 쓰기의 보장 수준, 쓰기의 일시 중지 여부를 반환합니다. `operations`의 수치는 이 프로세스가 `measured_since` 이후에 측정한 값이며, 다른 프로세스에는 별도의 값이 있습니다.',
    fields: {
      ...writeFields,
      name: 'ERP가 알린 자신의 이름. 아직 연결되지 않았으면 null입니다.',
      sandbox: 'ERP가 내장 샌드박스인지 여부',
      verdict: '`answers`(응답함), `does_not_answer`(응답하지 않음), 시작 직후에는 `not_asked_yet`',
      last_answer_seconds: 'ERP의 마지막 응답 이후 지난 초. 첫 응답 전에는 null입니다.',
      circuit:
        '`closed`: 호출을 보냅니다. `open`: 호출을 보내지 않습니다. `half_open`: 호출 하나로 ERP의 복구 여부를 확인합니다.',
      since: '서킷 브레이커가 현재 상태가 된 시각',
      capabilities: 'ERP가 알린 기능. 아직 연결되지 않았으면 null입니다.',
      dedupes_by_reference: '이미 있는 참조 번호로 쓰면 기존 문서를 반환하는지 여부',
      lookup:
        '참조 번호 조회가 모든 커밋을 보는지(`strong`), 나중에 보는지(`eventual`), 지원되지 않는지(`none`)',
      lookup_lag_ms: '커밋이 조회에 나타나기까지의 밀리초',
      max_request_ms: '보낸 요청이 더 이상 반영되지 않게 되는 밀리초',
      changes: 'ERP가 재고 변경을 알리는 방식: `push`, `poll`, `none`',
      stock_seq: '두 재고 수치 중 어느 것이 최신인지 알 수 있는지 여부',
      holds: 'ERP가 재고를 선점할 수 있는지, 그 선점이 ERP에서 만료되는지',
      serialise: '동시에 실행하면 안 되는 쓰기의 범위',
      ledger: 'ERP가 정산 내역을 제공하는지 여부',
      sign_in: 'OMS 계정으로 로그인할 수 있는지 여부',
      settles: 'ERP가 결과를 알 수 없는 쓰기를 끝내거나 막을 수 있는지 여부',
      hint_lag_ms: 'ERP가 변경을 늦어도 이 밀리초 안에 알립니다',
      allocates_from: '주문 하나를 창고 한 곳(`one`)에서 할당하는지, 여러 곳(`many`)에서 할당하는지',
      max_lines: '주문의 최대 줄 수',
      guarantee: '쓰기의 보장 수준. 아직 ERP에 연결되지 않았으면 null입니다.',
      class: '`exactly_once`, `exactly_once_bounded`, `at_most_once` 중 하나',
      says: '보장 수준에 대한 설명',
      measured_since: '이 프로세스가 측정을 시작한 시각',
      operations: '호출한 작업. 이름순입니다.',
      operation: '커넥터의 작업',
      calls: '호출 수. 읽기의 재시도는 한 번으로 셉니다.',
      failures: '응답을 받지 못한 호출 수. 거부도 응답입니다.',
      p50_ms: '호출의 절반이 끝난 밀리초. 오차는 5% 이내입니다.',
      p95_ms: '호출의 95%가 끝난 밀리초. 오차는 5% 이내입니다.',
      last_error: '가장 최근의 실패. 없으면 null입니다.',
      at: '호출이 실패한 시각',
      result: '`timeout`, `unreachable`, `failed`, `malformed`, 호출이 허용되지 않았으면 `not_sent`',
      writes: '쓰기가 ERP에 도달할 수 있는지',
      left_out: '텍스트를 데이터베이스에 저장할 수 없어 이 프로세스가 제외한 ERP 행의 수',
    },
  },
  'admin.upstream.pause': {
    source: '3037361a',
    summary: 'ERP에 대한 쓰기 일시 중지',
    description:
      '지정한 종료 시각까지 ERP에 대한 모든 쓰기를 `READ_ONLY_MODE`로 거부합니다. 1초 안에 모든 프로세스에 적용됩니다. `Retry-After`는 남은 초를 나타냅니다. 결과 미확인 쓰기는 계속 조회하고, 재고 선점은 유지합니다. 일시 중지는 시간이 되면 자동으로 끝나며, 다시 일시 중지하면 이전 것을 대체합니다.',
    fields: { ...writeFields, seconds: '지금부터 일시 중지할 시간(초)' },
  },
  'admin.upstream.resume': {
    source: '5aae35f5',
    summary: 'ERP에 대한 쓰기 재개',
    description:
      '쓰기의 일시 중지를 끝냅니다. 1초 안에 모든 프로세스에 적용됩니다. 일시 중지 상태가 아니면 아무 일도 일어나지 않습니다.',
    fields: {
      ...writeFields,
      expected_paused_at:
        '조회한 일시 중지의 `paused_at`. 지금 다른 일시 중지가 적용 중이면 아무것도 변경하지 않습니다.',
    },
  },
}
