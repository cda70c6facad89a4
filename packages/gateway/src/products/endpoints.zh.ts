/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'products.list': {
    source: '7dc8a0f8',
    summary: '列出商品',
    description: '列出款式及 SKU，按 `product_code` 排序；`q` 在各种语言的名称、款式编码和 SKU 中搜索。',
  },
  'products.read': {
    source: '692a4df3',
    summary: '查看一个商品',
    description: '返回一个款式及全部 SKU。',
  },
}
