/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.holds.list': {
    source: '2bfc5a4b',
    summary: '모든 채널의 재고 선점 검색',
    description:
      '모든 채널의 미리보기, 재고 예약, 주문을 위해 선점한 재고를 최신순으로 반환합니다. 필터를 더할수록 범위가 좁아집니다.',
    fields: {
      channel_code: '이 채널의 재고 선점만. 결과 행에서는 재고 선점의 채널입니다.',
      source: '이 유형의 문서를 위한 재고 선점만. 결과 행에서는 문서의 유형입니다.',
      status: '이 상태의 재고 선점만. 결과 행에서는 재고 선점의 상태입니다.',
      sku: '이 SKU가 있는 재고 선점만',
      hold_id: '이 재고 선점만. 결과 행에서는 재고 선점의 ID입니다.',
      since: '이 시각 이후에 생성된 재고 선점만',
      until: '이 시각 이전에 생성된 재고 선점만',
    },
  },
  'admin.holds.delete': {
    source: '83954ebe',
    summary: '모든 채널의 재고 선점 해제',
    description:
      'ERP에서 재고 선점을 해제하고 해당 미리보기나 재고 예약을 끝냅니다. 채널이 직접 해제할 때와 같습니다. 주문의 재고 선점은 주문과 함께 끝납니다. 이미 해제된 재고 선점은 그대로 반환합니다.',
  },
}
