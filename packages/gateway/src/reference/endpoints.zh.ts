/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'shipping_methods.list': {
    source: '48871d6c',
    summary: '列出配送方式',
    description: '列出批发订单从渠道可用仓库发货的全部配送方式。',
  },
  'addresses.list': {
    source: '517e0555',
    summary: '列出地址',
    description: '列出渠道对应客户的收货地址。渠道没有对应的客户时，返回空列表。',
  },
}
