/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'shipments.list': {
    source: 'afb37b4f',
    summary: '출고 목록',
    description:
      '창고에서 나간 출고를 출고일 기준으로 조회합니다. `order_id`, `dropship_order_id`, `tracking_number`로 조회할 때는 기간 제한이 없습니다.',
  },
  'shipments.read': {
    source: '81260f08',
    summary: '출고 조회',
    description: '출고 한 건을 운송사, 배송 추적 정보, 품목과 함께 조회합니다.',
  },
}
