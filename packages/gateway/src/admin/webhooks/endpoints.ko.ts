const selectionFields = {
  which:
    '`dead`: 데드 레터. `missing`: 엔드포인트가 받아야 하지만 성공했거나 대기 중인 전송이 없는 이벤트. `all`: 엔드포인트가 받아야 하는 모든 이벤트',
  channel_code: '이 채널의 엔드포인트만',
  endpoint_id: '이 엔드포인트만',
  type: '이 유형의 이벤트만',
  since: '이 시각 이후의 이벤트만. `dead`이면 이 시각 이후에 생성된 전송',
  until: '이 시각 이전의 이벤트만. `dead`이면 이 시각 이전에 생성된 전송',
  count: '재전송할 전송 수',
  has_more: '집계가 상한에서 끝났는지 여부. 재전송은 이 전송과 그 뒤의 모든 전송을 보냅니다.',
}

/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.webhook_endpoints.list': {
    source: '074d6364',
    summary: '모든 웹훅 엔드포인트 목록',
    description:
      '모든 채널의 삭제되지 않은 웹훅 엔드포인트를 최신순으로 반환하고, 각 엔드포인트의 대기 상황도 반환합니다.',
    fields: {
      channel_code: '이 채널의 엔드포인트만. 결과 행에서는 엔드포인트의 채널입니다.',
      since: '이 시각 이후에 등록된 엔드포인트만',
      until: '이 시각 이전에 등록된 엔드포인트만',
    },
  },
  'admin.webhook_deliveries.list': {
    source: '73564a60',
    summary: '웹훅 전송 검색',
    description: '모든 채널의 웹훅 전송을 최신순으로 반환합니다. 필터를 더할수록 범위가 좁아집니다.',
    fields: {
      channel_code: '이 채널의 전송만',
      endpoint_id: '이 엔드포인트로 보낸 전송만',
      event_id: '이 이벤트의 전송만',
      type: '이 유형의 이벤트만',
      status: '이 상태의 전송만',
      since: '이 시각 이후에 생성된 전송만',
      until: '이 시각 이전에 생성된 전송만',
    },
  },
  'admin.webhook_deliveries.read': {
    source: '122aff5e',
    summary: '모든 채널의 웹훅 전송 조회',
    description:
      '전송 하나를 URL, 이벤트를 일으킨 요청, 이벤트 데이터와 함께 반환합니다. 데이터에는 수취인이 포함되지 않습니다.',
  },
  'admin.webhook_deliveries.redeliver': {
    source: '12d258d1',
    summary: '모든 채널의 웹훅 재전송',
    description:
      '같은 `event_id`로 이벤트를 지금 다시 보내며, 재시도 일정도 처음부터 다시 적용합니다. 대기 중인 전송은 지금 시도합니다.',
  },
  'admin.webhook_redeliveries.count': {
    source: '74553251',
    summary: '재전송 대상 수 확인',
    description:
      '아무것도 보내지 않고 수만 셉니다. 엔드포인트가 받아야 하는 이벤트는 등록 이후에 발생했고 현재 설정에 해당하는 이벤트입니다. 같은 대상의 재전송이 진행 중이면 남은 수를 셉니다. 집계는 길어도 2초 안에 끝나며, `missing`은 이벤트 100,000개까지, `all`은 300,000개까지, `dead`는 전송 100만 건까지 확인합니다.',
    fields: selectionFields,
  },
  'admin.webhook_redeliveries.create': {
    source: '4e9eaa98',
    summary: '이벤트 대량 재전송',
    description:
      '한 번에 최대 500개의 전송을 다시 보냅니다. `remaining`이 0이 될 때까지 호출을 반복하세요. 그동안 같은 전송을 두 번 보내지 않으며, 어느 프로세스든 이어서 처리합니다. 한 시간 동안 호출이 없으면 처음부터 다시 시작합니다. 남은 수가 `expected_count`보다 크면 호출을 거부합니다.',
    fields: {
      ...selectionFields,
      expected_count: '확인한 수. 집계에 `has_more`가 있었으면 그보다 큰 아무 수',
      redelivered: '이 호출이 다시 보낸 전송 수',
      remaining:
        '남은 전송 수. 집계에 `has_more`가 있었으면 최소 이 수입니다. 0이 될 때까지 다시 호출하세요.',
    },
  },
}
