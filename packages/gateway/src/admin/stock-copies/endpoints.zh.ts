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
  compare_requested_at: '已请求但尚未成功的全量比对的请求时间；没有时为 null',
}

export const zh = {
  'admin.stock_copies.list': {
    source: 'd099cbc9',
    summary: '列出库存副本',
    description:
      '按仓库代码列出网关保存的各仓库与各汇总仓的库存副本：版本号、距今时间、行数、校验和，以及最近一次与 ERP 的全量比对。',
    fields,
  },
  'admin.stock_copies.compare': {
    source: '3026e1b1',
    summary: '将副本与 ERP 比对',
    description:
      '请求将仓库（汇总仓则为每个成员仓库）与 ERP 全量比对。下一轮同步即进行比对，通常在数秒之内，并更正不一致的行。变更流的客户端会收到这些更正。',
    fields,
  },
  'admin.stock_figures.compare': {
    source: 'da9ed2a3',
    summary: '将单个 SKU 与 ERP 比对',
    description:
      '按仓库返回一个 SKU 的数据：网关当前提供的数据，以及 ERP 此刻给出的数据。网关最多等待 ERP 5 秒。此操作不更正任何数据，更正由全量比对完成。最近几秒内的变更可能尚在途中。',
    fields: {
      sku: 'SKU，逐字节匹配',
      name: fields.name,
      warehouses: '每个仓库一项，按仓库代码排序，最多 20 项',
      left_out: '未读取的其余仓库数',
      version: '仓库的 `version`：当前进程快照的版本号。`gateway` 的 `version`：该行最近一次变更的版本号',
      age_seconds: '距副本最近一次确认与 ERP 库存一致的秒数',
      compare_requested_at: fields.compare_requested_at,
      gateway: '客户端看到的数据；网关没有该行时为 null',
      updated_at: '该行最近一次变更的时间',
      erp: 'ERP 给出的数据；ERP 在该仓库没有此 SKU 或未响应时为 null',
      erp_result: '`ok`：ERP 已响应；`refused`：ERP 拒绝了调用；`no_response`：ERP 未及时响应',
      differs: '客户端看到的数据与 ERP 给出的是否不同；无法确定时为 null',
    },
  },
}
