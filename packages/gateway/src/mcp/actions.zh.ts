/** The titles of the business actions in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  check_stock: {
    source: '7314331b',
    title: '查库存',
  },
  find_products: {
    source: '442cc42d',
    title: '找商品',
  },
  get_statement: {
    source: 'c38feb55',
    title: '对账单',
  },
  quote_order: {
    source: 'c24b8383',
    title: '批发订单报价',
  },
  place_order: {
    source: 'aac30029',
    title: '提交批发订单',
  },
  cancel_order: {
    source: 'e3584059',
    title: '作废订单',
  },
  quote_dropship: {
    source: '1a0c2b0e',
    title: '一件代发报价',
  },
  place_dropship: {
    source: '6f26c213',
    title: '提交一件代发订单',
  },
  release_dropship: {
    source: '412ee59a',
    title: '释放预占的库存',
  },
  list_endpoints: {
    source: 'b643107b',
    title: '列出接口',
  },
  call_endpoint: {
    source: '0412b30f',
    title: '调用接口',
  },
}
