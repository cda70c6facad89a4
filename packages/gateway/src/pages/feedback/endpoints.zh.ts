/** This endpoint's texts in Chinese. `source` is the hash of the English text that it translates. */
export const zh = {
  'feedback.create': {
    source: 'acf27017',
    summary: '评价文档页面',
    description: '统计页面是否有帮助，以及没有帮助的原因，由页面调用。只保存计数，不保存地址、文字和账号。',
    fields: { page: '页面的路径', language: '阅读时的语言', verdict: '`helpful`，或页面没有帮助的原因' },
  },
}
