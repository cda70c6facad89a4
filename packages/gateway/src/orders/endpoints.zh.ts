/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'orders.create': {
    source: 'd5d1b27d',
    summary: '创建批发订单草稿',
    description:
      '创建一个由网关保存的草稿：不预占库存，价格由预览计算。配送信息可以稍后补充，但预览和提交时必须具备。账号不可订购的 SKU 会立即被拒绝。',
  },
  'orders.list': {
    source: 'efc45ff4',
    summary: '列出批发订单',
    description:
      '最新的在前。数据来自网关的存储，因此 ERP 不可用时也能查询；`X-Data-Age` 表示数据有多旧。不带日期时，返回最近 30 天的订单和全部草稿。按 `client_order_number` 查询时不受日期范围限制。',
  },
  'orders.read': {
    source: '6ce61f4a',
    summary: '查看一个批发订单',
    description: '返回一个订单及明细、费用和状态。`in_doubt` 表示该订单有一次写操作结果未知，网关正在查询。',
  },
  'orders.change': {
    source: 'c9e870f2',
    summary: '修改批发订单草稿',
    description: '替换请求中给出的字段；lines 替换全部明细。只有草稿可以修改。',
  },
  'orders.preview': {
    source: 'd97fea82',
    summary: '预览批发订单',
    description:
      '用请求体中的字段覆盖草稿，返回可分配的数量、预计到货日期和费用。不改动任何数据，也不预占库存。缺货是正常的响应，不是错误。在 `price_expires_at` 之前提交相同的内容，要么按该总额收取，要么以 `price_changed` 被拒绝。',
  },
  'orders.submit': {
    source: '15a3e7da',
    summary: '提交批发订单',
    description:
      '一步完成库存分配，并在 ERP 中创建订单。请求体中的字段会替换草稿的相应字段。库存不足时，提交会被拒绝并返回缺货明细，除非用 `allow_partial` 允许削减明细的数量。再次提交状态为 confirmed 的订单，返回同一个订单。结果未知时，请用同一个 `Idempotency-Key` 重试：网关会查询订单，绝不重复发送。',
  },
  'orders.void': {
    source: 'c5e04125',
    summary: '作废批发订单',
    description: '取消草稿，或取消状态为 confirmed 且尚未发货的订单，并归还库存。重复调用返回同一个单据。',
  },
}
