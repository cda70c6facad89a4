/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'products.list': {
    source: '7dc8a0f8',
    summary: '상품 목록',
    description:
      '스타일과 그 SKU를 `product_code` 순으로 조회합니다. `q`는 모든 언어의 이름, 코드, SKU에서 검색합니다.',
  },
  'products.read': {
    source: '692a4df3',
    summary: '상품 조회',
    description: '스타일 하나와 그 SKU를 조회합니다.',
  },
}
