/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.holds.list': {
    source: '2bfc5a4b',
    summary: '搜索全部渠道的预占',
    description: '返回为全部渠道的预览、预留单和订单预占的库存，最新的在前。每个筛选条件都会缩小范围。',
    fields: {
      channel_code: '只返回该渠道的预占；在结果行中为预占所属渠道',
      source: '只返回为该类单据预占的库存；在结果行中为单据的类型',
      status: '只返回该状态的预占；在结果行中为预占的状态',
      sku: '只返回含有该 SKU 的预占',
      hold_id: '只返回该预占；在结果行中为预占的标识',
      since: '只返回该时刻起创建的预占',
      until: '只返回该时刻之前创建的预占',
    },
  },
  'admin.holds.delete': {
    source: '83954ebe',
    summary: '释放任一预占',
    description:
      '在 ERP 释放预占，并结束对应的预览或预留单，与渠道自行释放相同。属于订单的预占随订单结束。已释放的预占原样返回。',
  },
}
