/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'orders.create': {
    source: 'd5d1b27d',
    summary: '도매 주문 초안 생성',
    description:
      '게이트웨이에 초안을 만듭니다. 초안은 재고를 선점하지 않으며 가격은 미리보기에서 계산합니다. 배송 정보는 나중에 지정해도 되지만, 미리보기와 제출에는 필수입니다. 계정이 주문할 수 없는 SKU는 바로 거부합니다.',
  },
  'orders.list': {
    source: 'efc45ff4',
    summary: '도매 주문 목록',
    description:
      '최신순으로 조회합니다. 게이트웨이의 저장소에서 읽으므로 ERP를 사용할 수 없을 때도 조회할 수 있으며, 데이터의 경과 시간은 `X-Data-Age`에 표시됩니다. 날짜를 지정하지 않으면 최근 30일의 주문과 모든 초안을 반환합니다. `client_order_number`로 조회할 때는 기간 제한이 없습니다.',
  },
  'orders.read': {
    source: '6ce61f4a',
    summary: '도매 주문 조회',
    description:
      '주문 하나를 품목, 비용, 상태와 함께 조회합니다. `in_doubt`는 이 주문에 대한 쓰기의 결과가 아직 확인되지 않아 조회하고 있다는 뜻입니다.',
  },
  'orders.change': {
    source: 'c9e870f2',
    summary: '도매 주문 초안 변경',
    description:
      '보낸 필드만 변경합니다. `lines`를 보내면 모든 품목을 대체합니다. 초안만 변경할 수 있습니다.',
  },
  'orders.preview': {
    source: 'd97fea82',
    summary: '도매 주문 미리보기',
    description:
      '본문의 필드로 대체한 초안의 할당 내역, 도착일, 비용을 반환합니다. 아무것도 변경하거나 선점하지 않습니다. 재고 부족은 오류가 아니라 정상적인 응답입니다. `price_expires_at` 전에 같은 내용을 제출하면 이 총액이 청구되거나 `price_changed`로 거부됩니다.',
  },
  'orders.submit': {
    source: '15a3e7da',
    summary: '도매 주문 제출',
    description:
      '재고 할당과 ERP의 주문 생성을 한 번에 처리합니다. 본문의 필드는 초안의 필드를 대체합니다. 재고가 부족하면 부족 내역과 함께 거부하며, `allow_partial`을 지정하면 품목의 수량을 줄여 처리합니다. confirmed 상태의 주문을 다시 제출하면 같은 주문을 반환합니다. 결과를 알 수 없으면 같은 `Idempotency-Key`로 재시도하세요. 게이트웨이는 주문을 조회할 뿐, 두 번 보내지 않습니다.',
  },
  'orders.void': {
    source: 'c5e04125',
    summary: '도매 주문 취소',
    description:
      '초안이나, 아직 아무것도 출고되지 않은 confirmed 상태의 주문을 취소하고 재고를 되돌립니다. 다시 호출하면 같은 문서를 반환합니다.',
  },
}
