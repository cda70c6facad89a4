/** The event types' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'stock.changed': {
    source: '0337e434',
    summary: '仓库库存有变更',
    description:
      '每个仓库 5 秒内最多一个事件，携带自上一个事件以来变更的行，最多 100 行。事件仅作同步通知：收到后，请从本地保存的版本号继续消费变更流；更早的变更可以忽略。',
  },
  'order.created': {
    source: '2f7f2e9b',
    summary: '订单已提交',
    description:
      '每个批发订单或一件代发订单一次，在 ERP 收到订单时发出；起初结果未知的订单也会发出。不含收件人。',
  },
}
