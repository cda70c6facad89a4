/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'reservations.create': {
    source: '857669ce',
    summary: '预留库存',
    description:
      '预占全部明细，直到 `expires_at`；有一行不足，则都不预占。如果已有 `client_order_number` 和明细都相同、状态为 `reserved` 的预留单，则返回该预留单。每个渠道最多有 50 个有效的预留单；已确认的预留单，在草稿仍预占库存期间也计算在内。',
  },
  'reservations.list': {
    source: '4d8c35e5',
    summary: '列出预留单',
    description: '最新的在前。不带日期时，返回最近 30 天的预留单，以及所有状态仍为 reserved 的预留单。',
  },
  'reservations.read': {
    source: '03bbf783',
    summary: '查看一个预留单',
    description: '返回一个预留单，以及对应的预占和订单。',
  },
  'reservations.cancel': {
    source: 'c9d7fb0e',
    summary: '取消预留单',
    description: '归还库存。重复调用结果相同；状态为 confirmed 的预留单不能取消，库存已归订单。',
  },
  'reservations.confirm': {
    source: 'af4e44d4',
    summary: '将预留单转为订单',
    description:
      '生成一个批发订单草稿，预占连同到期时间一并转入：提交草稿会消耗该预占，作废草稿会释放该预占。重复调用返回同一个预留单。',
  },
}
