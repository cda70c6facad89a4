/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'events.list': {
    source: '803358e6',
    summary: '이벤트 목록',
    description:
      '`since`로 지정한 이벤트 다음의 채널 이벤트를 오래된 순으로 반환합니다. `since`를 지정하지 않으면 처음부터 반환합니다. 피드이므로 `page`, `start_date`, `end_date`가 없습니다. 장애가 있었던 수신 서버는 `has_more`가 `false`가 될 때까지 마지막 `event_id`를 보내 이어서 조회하세요. `order.created`는 30일, `stock.changed`는 행 없이 7일 동안 보관합니다.',
    fields: {
      since:
        '이미 받은 마지막 이벤트의 `event_id`. 지정하지 않으면 보관된 가장 오래된 이벤트부터 반환합니다.',
      type: '조회할 이벤트 유형. 지정하지 않으면 모든 유형을 반환합니다.',
    },
  },
  'events.read': {
    source: '0e0b9c1d',
    summary: '이벤트 조회',
    description: '채널의 이벤트 하나를 조회합니다.',
  },
  'events.types': {
    source: '441989d6',
    summary: '이벤트 유형 목록',
    description:
      '웹훅 엔드포인트가 구독할 수 있는 모든 이벤트 유형과 각 `data`의 JSON Schema를 반환합니다. 설명의 언어는 `Accept-Language` 헤더를 따릅니다.',
    fields: {
      type: '`event_types`에 쓰는 유형 이름',
      summary: '발생한 일',
      description: '게이트웨이가 전송하는 시점과 처리 방법',
      data_schema: '이벤트 `data`의 JSON Schema(2020-12)',
    },
  },
}
