/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'dropship.preview': {
    source: '4dcfac17',
    summary: '预览一件代发订单',
    description:
      '返回可分配的数量、缺货数量、预计到货日期和费用，并预占库存，时长为 `HOLD_TTL_SECONDS`：要么全部预占，要么都不预占。用相同的 `client_order_number` 和 SKU 再次预览，预占会改为新的数量，ID 不变。每个渠道最多有 50 个有效的预览。',
    fields: { name: '收件人姓名，与包裹上的一致' },
  },
  'dropship.submit': {
    source: '387d70a7',
    summary: '提交一件代发订单',
    description:
      '提交指定的预览，或订单号和 SKU 都相同的有效预览；没有预览时重新分配库存。在重复判定的时间窗口内，订单号、SKU 和收件人都相同的提交会以 `DUPLICATE_SUSPECTED` 被拒绝；换一个 `client_order_number` 即可提交。窗口结束后，再次提交同一个已提交的预览，会返回对应的订单。',
    fields: { name: '收件人姓名，与包裹上的一致' },
  },
  'dropship.list': {
    source: '1f46cc29',
    summary: '列出一件代发订单',
    description:
      '最新的在前。按 `client_order_number` 和 `serial_number` 查询时不受日期范围限制。预览默认不列出，除非带上 `include_previews=true`；结果未知的订单始终列出。',
  },
  'dropship.read': {
    source: '2140d163',
    summary: '查看一个一件代发订单',
    description: '返回一个一件代发订单或预览。预览没有 `submitted_at`。',
  },
  'dropship.release': {
    source: '1b7e54c5',
    summary: '释放预览的库存',
    description: '归还预占的库存并取消预览。重复调用结果相同；提交之后再释放会被拒绝。',
  },
  'dropship.void': {
    source: 'c89a97fc',
    summary: '作废一件代发订单',
    description:
      '移交仓库之前为取消，移交之后为拦截，发货之后拒绝。对预览而言，作废即释放库存。重复调用返回同一个单据。',
  },
}
