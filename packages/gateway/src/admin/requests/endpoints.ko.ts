/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.requests.list': {
    source: 'bd93e4db',
    summary: '요청 로그 검색',
    description:
      '모든 채널의 요청을 최신순으로 반환합니다. 쓰기, 실패, 느린 조회가 대상이며 `LOG_REQUESTS=all`이면 모든 요청이 대상입니다. 포인트 차감이 없는 거부는 일부만 남습니다. 토큰 없는 호출은 모두 합쳐 분당 300건까지, 토큰이 있는 호출은 채널마다 초당 200건까지입니다. 필터를 더할수록 범위가 좁아집니다.',
    fields: {
      code: '이 오류 코드로 실패한 요청만',
      route: '이 경로의 요청만. 매개변수는 중괄호로 나타냅니다.',
      failed: 'true이면 상태 코드가 400 이상인 요청만',
      since: '이 시각 이후의 요청만',
      until: '이 시각 이전의 요청만',
      channel_code: '채널. 요청에 유효한 토큰이 없으면 null입니다.',
      client_order_number: '요청 본문에 있던 고객사 주문 번호. 거절된 요청에도 있으며, 없으면 null입니다.',
    },
  },
  'admin.channel_reads.read': {
    source: 'a86c4172',
    summary: '채널의 조회 현황',
    description:
      '채널이 최근 몇 시간 동안 성공한 조회를 경로별로 반환합니다. `LOG_REQUESTS=all`이 아니면 이런 조회는 요청 로그에 남지 않고 1분 단위로 횟수만 셉니다. 지금 지나고 있는 1분은 들어 있지 않습니다.',
    fields: {
      hours: '시간 수',
      since: '기간의 시작',
      until: '게이트웨이 시계의 현재 시각',
      busiest_minute: '조회가 가장 많았던 1분. 조회가 없으면 null입니다.',
      at: '그 1분의 시작',
      calls: '조회 수',
      points: '조회에 든 포인트',
      routes: '경로마다 한 항목. 조회가 많은 순입니다.',
      mean_ms: '조회 한 번의 평균 밀리초',
    },
  },
  'admin.requests.read': {
    source: '946b00b6',
    summary: '요청 하나 추적',
    description:
      '같은 ID를 쓴 모든 채널의 요청을 최신순으로 반환하고, 이어서 생긴 이벤트와 웹훅 전송도 반환합니다.',
  },
}
