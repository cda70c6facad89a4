/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.plan_requests.list': {
    source: '09d71cd4',
    summary: '列出全部套餐申请',
    description: '列出所有渠道的套餐申请及各渠道当前的套餐和 ERP 客户，最新的在前。',
    fields: {
      channel_plan: '渠道当前的套餐',
      customer_code: '渠道的 ERP 客户；未指定时，任何套餐都无法下单',
    },
  },
  'admin.plan_requests.approve': {
    source: 'bfa02566',
    summary: '批准套餐申请',
    description: '设置套餐，在一秒内对现有令牌生效。',
  },
  'admin.plan_requests.decline': {
    source: '309b5c07',
    summary: '拒绝套餐申请',
    description: '套餐保持不变。',
  },
}
