/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'webhook_endpoints.create': {
    source: 'c86979ac',
    summary: '注册 Webhook 端点',
    description:
      '注册事件的接收地址，每个渠道最多 5 个；密钥仅在本次响应中返回。`warehouse_codes` 把 `stock.changed` 限定在所列的仓库；只有在 `warehouse_codes` 或白名单中列出的汇总仓才会发送事件。在沙盒中，路径为 `/sandbox/inbox/<name>` 的 URL 是网关自带的收件箱。',
  },
  'webhook_endpoints.list': {
    source: 'bb76a569',
    summary: '列出 Webhook 端点',
    description: '列出渠道的全部端点及最近一次成功和失败，绝不包含密钥。',
  },
  'webhook_endpoints.read': {
    source: '90d6a7d6',
    summary: '查看一个 Webhook 端点',
    description: '返回一个端点及最近一次成功和失败。',
  },
  'webhook_endpoints.change': {
    source: '1173c159',
    summary: '修改 Webhook 端点',
    description: '替换请求中给出的字段；一秒之后开始的尝试按新的内容进行。',
  },
  'webhook_endpoints.delete': {
    source: '8f49da9f',
    summary: '删除 Webhook 端点',
    description: '不再向该端点发送任何内容，等待中的投递一并取消。重复调用结果相同。',
  },
  'webhook_endpoints.rotate': {
    source: '15d0a7b2',
    summary: '轮换密钥',
    description: '新密钥仅在本次响应中返回。24 小时内新旧密钥同时签名，接收端可以无缝切换。',
  },
  'webhook_endpoints.test': {
    source: '0f1c098a',
    summary: '发送测试事件',
    description:
      '向该端点发送一个类型为 `webhook.test` 的事件，队列和签名与真实事件相同；结果见 `GET /webhook-deliveries`。',
  },
  'webhook_deliveries.list': {
    source: '388edb13',
    summary: '列出投递',
    description: '列出每个事件在每个端点的投递结果。不带日期时，返回最近 30 天的投递以及全部死信。',
  },
  'webhook_deliveries.read': {
    source: '64f26512',
    summary: '查看一个投递',
    description: '返回一个投递：尝试次数，以及最近一次尝试的结果。',
  },
  'webhook_deliveries.redeliver': {
    source: '6b8af68c',
    summary: '重新投递',
    description: '立即以相同的 `event_id` 再次发送，并重新开始完整的重试计划；等待中的投递会立即尝试。',
  },
}
