/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'warehouses.list': {
    source: '74ff65af',
    summary: '列出仓库',
    description: '列出渠道可用的实体仓库和公司级汇总仓。',
  },
  'stock.list': {
    source: 'd7b0b00b',
    summary: '查询仓库库存',
    description:
      '可查询整个仓库、其中一页、一个款式（`product_code`）或一个 SKU（`sku`）。不带 `page` 和 `page_size` 时返回全部行。之后请从第一页的 `version` 开始消费变更流。',
    priceNote: '整个仓库 60 点，一页 5 点，单个 SKU 或款式 1 点',
  },
  'stock.changes': {
    source: 'da5be24a',
    summary: '某一版本号以来的库存变更',
    description:
      '返回自游标以来变更的行，每行只出现一次，且为最新状态；已下架的 SKU 数量为 0，并带有 `removed: true`。请把 `version` 作为下一次的 `since` 传回。每行 1 点，最少 1 点，最多 60 点；点数不足时，按剩余点数截断该页。`needs_full_sync` 表示需要全量拉取。最后一页带有 `row_count` 和 `checksum`，可用于校验副本；如果该页的 `version` 小于此前收到的某个 `latest`，请稍后再次请求。',
    priceNote: '每行 1 点，最多 60 点',
    fields: {
      version: '下次作为 since 传回',
      latest:
        '返回该响应的进程所知的最新版本号。变更流已读到末尾，且 `version` 不小于此前收到的每个 `latest` 时，副本才是完整的',
    },
  },
  'stock.checksum': {
    source: 'a2b5441e',
    summary: '查看仓库库存的校验和',
    description: '返回版本号、行数和校验和，用于校验您的副本。',
  },
}
