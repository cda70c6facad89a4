/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'shipments.list': {
    source: 'afb37b4f',
    summary: '列出发货单',
    description:
      '列出已离开仓库的货物，按发货日期查询。按 `order_id`、`dropship_order_id` 和 `tracking_number` 查询时不受日期范围限制。',
  },
  'shipments.read': {
    source: '81260f08',
    summary: '查看一个发货单',
    description: '返回一个发货单及承运商、物流跟踪信息和明细。',
  },
}
