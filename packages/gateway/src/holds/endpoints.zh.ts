/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'holds.list': {
    source: 'c9b72167',
    summary: '列出预占',
    description: '列出为渠道预占的全部库存：来自预览、预留单，以及由预留单生成的草稿。',
  },
  'holds.read': {
    source: '7d4b5090',
    summary: '查看一个预占',
    description: '返回一个预占：预占的库存、所在仓库、为哪个单据预占、何时到期。',
  },
  'holds.delete': {
    source: 'b6f7e271',
    summary: '释放预占',
    description: '即释放预占对应的预览，或取消对应的预留单，需要该写操作的权限。属于订单的预占随订单结束。',
  },
}
