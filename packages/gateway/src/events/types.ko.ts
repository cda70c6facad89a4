/** The event types' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'stock.changed': {
    source: '0337e434',
    summary: '창고의 재고 변경',
    description:
      '창고마다 5초에 최대 한 번 전송하며, 직전 이벤트 이후 바뀐 행을 최대 100개까지 담습니다. 이벤트는 동기화 신호로만 쓰고, 저장해 둔 버전부터 변경 피드를 조회하세요. 그보다 오래된 변경은 무시해도 됩니다.',
  },
  'order.created': {
    source: '2f7f2e9b',
    summary: '주문 제출',
    description:
      '도매 주문이나 위탁배송 주문마다 ERP가 접수했을 때 한 번 전송합니다. 처음에 결과를 알 수 없었던 주문도 마찬가지입니다. 수취인은 포함하지 않습니다.',
  },
}
