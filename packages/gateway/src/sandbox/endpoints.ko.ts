/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'sandbox.faults': {
    source: '50fb2fa4',
    summary: '샌드박스 장애 설정',
    description:
      '내장 ERP의 쓰기가 어떤 방식으로 얼마나 자주 실패할지 설정합니다. 빈 객체를 보내면 장애를 끕니다.',
  },
  'sandbox.clock': {
    source: 'af3137b7',
    summary: '샌드박스 시계 앞당기기',
    description: '내장 ERP의 시계를 앞당깁니다. 재고 선점이 만료되고, 주문이 창고에 인계되어 출고됩니다.',
  },
  'sandbox.stock': {
    source: 'abe8a8e5',
    summary: '샌드박스 재고 설정',
    description: '창고에 있는 SKU의 보유 수량을 설정합니다. 0이면 품절입니다.',
  },
  'sandbox.price': {
    source: 'bdf4abd4',
    summary: '샌드박스 가격 변경',
    description: 'SKU의 도매 정가를 최소 화폐 단위로 설정합니다.',
  },
  'sandbox.ship': {
    source: 'cc1bdd74',
    summary: '샌드박스 주문 출고',
    description:
      '주문을 창고에서 바로 출고합니다. 관리자 토큰 또는 주문을 소유한 채널의 토큰으로 호출합니다.',
  },
  'sandbox.intercept': {
    source: 'a53e0dc2',
    summary: '샌드박스 주문 배송 중지',
    description:
      '위탁배송 주문의 배송을 중지합니다. 관리자 토큰 또는 주문을 소유한 채널의 토큰으로 호출합니다.',
  },
  'sandbox.inbox.read': {
    source: '4b35dcb5',
    summary: '샌드박스 수신함 조회',
    description: '채널의 수신함이 받은 메시지를 서명의 일치 여부와 함께 최신순으로 조회합니다.',
  },
  'sandbox.inbox.fail': {
    source: '31ee2a74',
    summary: '샌드박스 수신함 실패 설정',
    description: '다음 `fail_times`번의 전송에 `fail_status` 상태 코드로 응답합니다.',
  },
  'sandbox.inbox.empty': {
    source: '7da0853c',
    summary: '샌드박스 수신함 비우기',
    description: '받은 메시지를 모두 지우고, 설정한 실패 응답도 취소합니다.',
  },
}
