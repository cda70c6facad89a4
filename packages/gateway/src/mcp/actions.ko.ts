/** The titles of the business actions in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  check_stock: {
    source: '7314331b',
    title: '재고 확인',
  },
  find_products: {
    source: '442cc42d',
    title: '상품 찾기',
  },
  get_statement: {
    source: 'c38feb55',
    title: '정산서 조회',
  },
  quote_order: {
    source: 'c24b8383',
    title: '도매 주문 견적',
  },
  place_order: {
    source: 'aac30029',
    title: '도매 주문 제출',
  },
  cancel_order: {
    source: 'e3584059',
    title: '주문 취소',
  },
  quote_dropship: {
    source: '1a0c2b0e',
    title: '위탁배송 주문 견적',
  },
  place_dropship: {
    source: '6f26c213',
    title: '위탁배송 주문 제출',
  },
  release_dropship: {
    source: '412ee59a',
    title: '선점한 재고 해제',
  },
  list_endpoints: {
    source: 'b643107b',
    title: '엔드포인트 목록',
  },
  call_endpoint: {
    source: '0412b30f',
    title: '엔드포인트 호출',
  },
}
