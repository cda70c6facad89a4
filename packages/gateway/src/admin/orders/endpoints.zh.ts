/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.orders.list': {
    source: '50f9b2bb',
    summary: '搜索所有渠道的订单',
    description:
      '列出所有渠道的批发订单与一件代发订单，最新的在前，不含收件人。草稿也会列出；一件代发的预览只能按 `client_order_number` 找到，或在写操作结果未知期间列出。',
    fields: {
      kind: '`order`：批发订单；`dropship`：一件代发订单。省略时返回两者',
      order_id: '批发订单或一件代发订单的 ID',
      channel_code: '渠道',
      in_doubt: '该订单是否有结果未知的写操作',
      skus: '订单的 SKU，最多 10 个',
      quantity: '所有行的件数合计',
      total: '以 `currency` 计的费用总额；ERP 计价之前为 null',
      since: '仅限该时间及之后创建的订单',
      until: '仅限该时间之前创建的订单',
    },
  },
  'admin.orders.read': {
    source: '24b17e78',
    summary: '读取任一渠道的订单',
    description:
      '返回一个批发订单或一件代发订单，包括收件人、发货单、预占、涉及该订单的请求，以及随后的事件和 Webhook 投递。请求与事件只能追溯到请求日志保留的期限。',
    fields: {
      order_id: '批发订单或一件代发订单的 ID',
      kind: '订单的类型：`order` 或 `dropship`；在 `open_write` 中为写操作的类型',
      channel_code: '渠道',
      reference: 'ERP 识别该订单的引用号；在 `open_write` 中，是该写操作的引用号',
      order: '批发订单；一件代发订单时为 null',
      dropship_order: '一件代发订单；批发订单时为 null',
      open_write: '结果未知的写操作；没有时为 null',
      sent_at: '写操作开始的时间',
      looked_up_at: '网关最近一次查询结果的时间；尚未查询时为 null',
      shipments: '订单的发货单，最早的在前',
      holds: '为该订单预占的库存，最新的在前',
      requests: '涉及该订单的请求，最新的在前，最多 100 个',
      events: '关于该订单的事件及投递，最早的在前',
    },
  },
}
