/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'idempotency_keys.list': {
    source: '0dee5de4',
    summary: '查询 Idempotency-Key',
    description:
      '返回渠道使用某个幂等键的请求的处理状态：`running`、`completed`、`in_doubt`（正在查询结果）或 `failed`（未执行任何操作）。供丢失了响应的客户端使用。空列表只表示该幂等键下没有保存任何内容，请求可能仍在途中，请用同一个幂等键重试。',
  },
}
