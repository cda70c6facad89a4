/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'requests.read': {
    source: 'a5e6c3f8',
    summary: 'ID로 요청 조회',
    description:
      '채널의 요청 하나가 어떻게 처리되었는지 조회합니다. 상태 코드, 오류 코드, 포인트, 소요 시간, ERP 호출, 이어서 생긴 이벤트와 웹훅 전송을 반환합니다. 쓰기, 실패, 느린 조회는 14일 동안 찾을 수 있고, 그 밖의 조회는 횟수만 기록합니다. 같은 `X-Request-Id`를 여러 번 썼다면 모든 요청을 최신순으로 반환합니다.',
    fields: {
      account_id: '토큰의 OMS 계정. 채널 토큰이면 null입니다.',
      client_order_number: '요청 본문에 있던 직접 정한 주문 번호. 거절된 요청에도 있으며, 없으면 null입니다.',
    },
  },
}
