/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'carts.create': {
    source: '54e74d4b',
    summary: '장바구니 생성',
    description:
      '나중에 주문할 상품의 목록을 만듭니다. 가격과 주문 가능 수량을 표시하며 재고를 선점하지 않습니다.',
  },
  'carts.list': {
    source: 'ea4f1a53',
    summary: '장바구니 목록',
    description:
      '최신순으로 조회합니다. 날짜를 지정하지 않으면 최근 30일의 장바구니와 열려 있는 모든 장바구니를 반환합니다.',
  },
  'carts.read': {
    source: '2928d959',
    summary: '장바구니 조회',
    description: '장바구니 하나를 현재의 가격, 주문 가능 수량과 함께 조회합니다.',
  },
  'carts.change': {
    source: '746dd7a9',
    summary: '장바구니 변경',
    description: '보낸 필드만 변경합니다. `items`를 보내면 모든 상품을 대체합니다.',
  },
  'carts.items': {
    source: '468dc73e',
    summary: '장바구니 상품 교체',
    description: '열려 있는 장바구니의 모든 상품을 대체합니다. 빈 목록을 보내면 장바구니가 비워집니다.',
  },
  'carts.checkout': {
    source: 'e56ed90d',
    summary: '장바구니 주문 전환',
    description:
      '장바구니로 도매 주문 초안을 만들고 장바구니를 닫습니다. 다시 호출하면 같은 장바구니를 같은 `order_id`와 함께 반환합니다.',
  },
  'carts.delete': {
    source: 'f19d4cb6',
    summary: '장바구니 취소',
    description: '열려 있는 장바구니를 취소합니다. 두 번 호출해도 결과는 같습니다.',
  },
}
