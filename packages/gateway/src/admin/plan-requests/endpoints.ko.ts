/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.plan_requests.list': {
    source: '09d71cd4',
    summary: '전체 플랜 신청 목록',
    description: '모든 채널의 플랜 신청을 채널의 현재 플랜, ERP의 거래처와 함께 최신순으로 조회합니다.',
    fields: {
      channel_plan: '채널의 현재 플랜',
      customer_code: '채널의 ERP 거래처. 없으면 어떤 플랜으로도 주문할 수 없습니다.',
    },
  },
  'admin.plan_requests.approve': {
    source: 'bfa02566',
    summary: '플랜 신청 승인',
    description: '플랜을 적용합니다. 사용 중인 토큰에는 1초 안에 적용됩니다.',
  },
  'admin.plan_requests.decline': {
    source: '309b5c07',
    summary: '플랜 신청 거부',
    description: '플랜을 변경하지 않습니다.',
  },
}
