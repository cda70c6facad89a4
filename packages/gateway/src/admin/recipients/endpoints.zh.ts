/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.recipients.erase': {
    source: '241c1b26',
    summary: '删除收件人数据',
    description:
      '删除一个一件代发订单（`order_id`）的收件人姓名、电话、地址和备注，或者删除某人（`name` 和 `phone`）全部一件代发订单和预览中的这些数据，为重复请求保存的响应也一并处理。订单保留商品行、金额、状态和国家。只处理已发货、已取消或已拦截的订单；一个都没有时，调用会被拒绝。重复调用没有其他影响。ERP 另有自己的副本，本调用不会删除。',
    fields: {
      order_id: '一件代发订单的 ID，用来代替 `name` 和 `phone`',
      name: '收件人姓名，须与 `phone` 一起提供。比较时忽略大小写、重音符号、空格和标点',
      phone: '收件人电话，只比较最后九位数字',
      erased_count: '本次调用删除了收件人数据的订单和预览的数量',
      not_over: '此人尚未结束、仍保留收件人数据的订单，最多 100 个。订单结束后请再次调用',
      has_more: '此人是否可能还有更多订单。如果是，请再次调用',
    },
  },
}
