/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.backups.create': {
    source: '9a8cd684',
    summary: '复制内置数据库',
    description:
      '在网关继续提供服务的同时，将内置数据库复制为 `DATA_DIR` 中的新文件。`npm run backup` 调用此接口，补全并核对副本，然后移走副本；未被移走的副本会被下一份替换。PostgreSQL 数据库会被拒绝：`npm run backup` 用 `pg_dump` 读取该数据库。',
    fields: {
      file: '副本在 `DATA_DIR` 中的文件名',
      bytes: '副本的大小，不含日志',
      sha256: '从数据库文件读出内容的 SHA-256，十六进制',
      logs: '副本旁 `…-log-0` 等文件的数量。按此顺序应用到副本，副本才完整',
      taken_at: '开始复制的时间',
    },
  },
  'admin.lost_documents.list': {
    source: 'cb4c1ec2',
    summary: '列出恢复后缺失的单据',
    description:
      'ERP 中产生于备份与恢复之间、而网关没有的订单和仍有效的预占：最新的 500 条。渠道重复当时下单的调用，或按 ID 查询该订单后，订单即从列表中消失。留在列表中的单据需由人员与渠道核对。如果 ERP 不上报单据变更，则不会发现任何单据。',
    fields: {
      reference: '该单据在 ERP 中的引用号',
      number: 'ERP 自己的编号',
      kind: '`order`（订单），或仍预占库存的 `hold`（预占）',
      order_type: '`wholesale`、`dropship` 或 `reservation`',
      status: 'ERP 中的状态',
      total: 'ERP 收取的总额；没有价格的预占为 null',
      submitted_at: '下单时间，以 ERP 的时钟为准；预占为 null',
      found_at: '网关发现该单据的时间',
    },
  },
}
