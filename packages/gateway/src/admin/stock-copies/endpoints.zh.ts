/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
const fields = {
  name: '仓库或汇总仓的名称',
  kind: '`warehouse`：ERP 中的仓库；`company`：由多个仓库组成的汇总仓',
  version: '当前进程快照的版本号；库存首次读取之前为 null',
  latest_at: '副本最近一次确认与 ERP 库存一致的时间；汇总仓以最旧的成员仓库为准',
  age_seconds: '距 `latest_at` 的秒数',
  rows: '当前进程快照的行数，不含已下架的行',
  checksum: '当前进程快照的校验和，与客户端的计算方法相同',
  last_compare_at: '整个副本最近一次与 ERP 库存比对的时间；汇总仓为 null',
  last_differences:
    '最近一次全量比对更正的、且 ERP 的提示未曾提及的行数：大于 0 表示丢失了提示。首次比对之前为 null',
  compare_requested_at: '已请求但尚未开始的全量比对的请求时间；没有时为 null',
}

export const zh = {
  'admin.stock_copies.list': {
    source: 'c6696868',
    summary: '列出库存副本',
    description:
      '按仓库代码列出网关保存的各仓库与各汇总仓的库存副本：版本号、距今时间、行数、校验和，以及最近一次与 ERP 的全量比对。',
    fields,
  },
  'admin.stock_copies.compare': {
    source: '74eead16',
    summary: '将副本与 ERP 比对',
    description:
      '请求将仓库（汇总仓则为每个成员仓库）与 ERP 全量比对。下一轮同步即进行比对，通常在数秒之内，并更正不一致的行。变更流的客户端会收到这些更正。',
    fields,
  },
}
