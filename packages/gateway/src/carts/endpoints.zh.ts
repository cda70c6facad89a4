/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'carts.create': {
    source: '54e74d4b',
    summary: '创建购物车',
    description: '购物车是留待以后下单的商品清单，显示价格和可售数量，不预占库存。',
  },
  'carts.list': {
    source: 'ea4f1a53',
    summary: '列出购物车',
    description: '最新的在前。不带日期时，返回最近 30 天的购物车和所有未关闭的购物车。',
  },
  'carts.read': {
    source: '2928d959',
    summary: '查看一个购物车',
    description: '返回一个购物车，以及当前的价格和可售数量。',
  },
  'carts.change': {
    source: '746dd7a9',
    summary: '修改购物车',
    description: '替换请求中给出的字段；items 替换全部商品。',
  },
  'carts.items': {
    source: '468dc73e',
    summary: '替换购物车的商品',
    description: '替换未关闭的购物车中的全部商品。空列表会清空购物车。',
  },
  'carts.checkout': {
    source: 'e56ed90d',
    summary: '结算购物车',
    description: '由购物车生成一个批发订单草稿，并关闭购物车。重复调用返回同一个购物车和同一个 `order_id`。',
  },
  'carts.delete': {
    source: 'f19d4cb6',
    summary: '取消购物车',
    description: '取消未关闭的购物车。重复调用结果相同。',
  },
}
