/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'holds.list': {
    source: 'c9b72167',
    summary: '재고 선점 목록',
    description: '미리보기, 재고 예약, 재고 예약에서 만든 초안이 채널을 위해 선점한 재고를 모두 조회합니다.',
  },
  'holds.read': {
    source: '7d4b5090',
    summary: '재고 선점 조회',
    description: '재고 선점 하나를 조회합니다. 선점한 SKU와 창고, 대상 문서, 만료 시각이 표시됩니다.',
  },
  'holds.delete': {
    source: 'b6f7e271',
    summary: '재고 선점 해제',
    description:
      '해당 미리보기를 해제하거나 해당 재고 예약을 취소합니다. 그 쓰기에 필요한 권한이 있어야 합니다. 주문의 재고 선점은 주문과 함께 끝납니다.',
  },
}
