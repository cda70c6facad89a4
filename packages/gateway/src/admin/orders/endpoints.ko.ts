/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.orders.list': {
    source: '50f9b2bb',
    summary: '모든 채널의 주문 검색',
    description:
      '모든 채널의 도매 주문과 위탁배송 주문을 최신순으로 반환합니다. 수취인은 포함하지 않습니다. 초안도 나열합니다. 위탁배송 미리보기는 `client_order_number`로 검색하거나 쓰기의 결과가 미확인인 동안에만 나옵니다.',
    fields: {
      kind: '`order`: 도매 주문. `dropship`: 위탁배송 주문. 지정하지 않으면 둘 다 반환합니다.',
      order_id: '도매 주문 또는 위탁배송 주문의 ID',
      channel_code: '채널',
      in_doubt: '주문에 결과 미확인 쓰기가 있는지 여부',
      skus: '주문의 SKU. 최대 10개입니다.',
      quantity: '모든 라인의 수량 합',
      total: '`currency` 단위의 비용 총액. ERP가 가격을 정하기 전에는 null입니다.',
      since: '이 시각부터 생성된 주문만',
      until: '이 시각 전에 생성된 주문만',
    },
  },
  'admin.orders.read': {
    source: '24b17e78',
    summary: '임의 채널의 주문 조회',
    description:
      '도매 주문 또는 위탁배송 주문 하나를 반환합니다. 수취인, 출고, 재고 선점, 주문과 관련된 요청, 그 뒤의 이벤트와 웹훅 전송을 포함합니다. 요청과 이벤트는 요청 로그의 보관 기간까지만 거슬러 올라갑니다.',
    fields: {
      order_id: '도매 주문 또는 위탁배송 주문의 ID',
      kind: '주문의 유형: `order` 또는 `dropship`. `open_write`에서는 쓰기의 유형.',
      channel_code: '채널',
      reference: 'ERP가 주문을 식별하는 참조 번호. `open_write`에서는 그 쓰기의 참조 번호',
      order: '도매 주문. 위탁배송 주문이면 null입니다.',
      dropship_order: '위탁배송 주문. 도매 주문이면 null입니다.',
      open_write: '결과 미확인 쓰기. 없으면 null입니다.',
      sent_at: '쓰기를 시작한 시각',
      looked_up_at: '게이트웨이가 결과를 마지막으로 조회한 시각. 아직 조회하지 않았으면 null입니다.',
      shipments: '주문의 출고. 오래된 순입니다.',
      holds: '주문을 위해 선점한 재고. 최신순입니다.',
      requests: '주문과 관련된 요청. 최신순이며 최대 100건입니다.',
      events: '주문에 관한 이벤트와 그 전송. 오래된 순입니다.',
    },
  },
}
