/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'shipping_methods.list': {
    source: '48871d6c',
    summary: '배송 방법 목록',
    description: '도매 주문을 채널의 창고에서 보낼 수 있는 모든 배송 방법을 조회합니다.',
  },
  'addresses.list': {
    source: '517e0555',
    summary: '주소 목록',
    description:
      '채널에 연결된 거래처의 배송 주소를 조회합니다. 연결된 거래처가 없으면 빈 목록을 반환합니다.',
  },
}
