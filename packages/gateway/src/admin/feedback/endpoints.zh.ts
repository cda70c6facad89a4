/** This endpoint's texts in Chinese. `source` is the hash of the English text that it translates. */
export const zh = {
  'admin.feedback.list': {
    source: '32490b0d',
    summary: '列出页面的评价',
    description: '列出读者评价过的文档页面，批评最多的在前。只保存计数，保留 400 天。',
    fields: {
      days: '统计最近多少天的评价',
      page: '页面的路径',
      helpful: '认为页面有帮助的次数',
      unclear: '认为页面难以理解的次数',
      incomplete: '认为内容不完整的次数',
      wrong: '认为内容有误的次数',
      other: '认为没有帮助但未说明原因的次数',
      last_at: '最近一次评价的日期',
    },
  },
}
