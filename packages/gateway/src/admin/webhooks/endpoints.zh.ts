const selectionFields = {
  which: '`dead`：死信。`missing`：端点应收到、但没有任何投递成功或等待中的事件。`all`：端点应收到的全部事件',
  channel_code: '只限该渠道的端点',
  endpoint_id: '只限该端点',
  type: '只限该类型的事件',
  since: '只限该时刻起的事件；`dead` 时为该时刻起创建的投递',
  until: '只限该时刻之前的事件；`dead` 时为该时刻之前创建的投递',
  count: '重新投递将发送的投递数',
  has_more: '是否因达到统计上限而停止：重新投递会发送这些投递以及之后的全部投递',
}

/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.webhook_endpoints.list': {
    source: '074d6364',
    summary: '列出全部 Webhook 端点',
    description: '返回全部渠道未删除的 Webhook 端点，最新的在前，并附各端点的待投递情况。',
    fields: {
      channel_code: '只返回该渠道的端点；在结果行中为端点所属渠道',
      since: '只返回该时刻起注册的端点',
      until: '只返回该时刻之前注册的端点',
    },
  },
  'admin.webhook_deliveries.list': {
    source: '73564a60',
    summary: '搜索 Webhook 投递',
    description: '返回全部渠道的 Webhook 投递，最新的在前。每个筛选条件都会缩小范围。',
    fields: {
      channel_code: '只返回该渠道的投递',
      endpoint_id: '只返回发往该端点的投递',
      event_id: '只返回该事件的投递',
      type: '只返回该类型的事件',
      status: '只返回该状态的投递',
      since: '只返回该时刻起创建的投递',
      until: '只返回该时刻之前创建的投递',
    },
  },
  'admin.webhook_deliveries.read': {
    source: '122aff5e',
    summary: '查看任一 Webhook 投递',
    description: '返回一个投递，包括 URL、引发事件的请求和事件数据。数据中绝不包含收件人。',
  },
  'admin.webhook_deliveries.redeliver': {
    source: '12d258d1',
    summary: '重新投递任一 Webhook',
    description: '立即以同一个 `event_id` 再次发送该事件，并重新执行完整的重试计划。等待中的投递会立即尝试。',
  },
  'admin.webhook_redeliveries.count': {
    source: '74553251',
    summary: '统计重新投递的数量',
    description:
      '先统计，不发送任何内容。端点应收到的事件，是端点注册之后发生、且符合当前设置的事件。同一选择的重新投递进行期间，统计的是剩余数量。统计最长两秒；`missing` 最多查看 100,000 个事件，`all` 最多 300,000 个，`dead` 最多一百万个投递。',
    fields: selectionFields,
  },
  'admin.webhook_redeliveries.create': {
    source: '4e9eaa98',
    summary: '批量重新投递事件',
    description:
      '每次最多重新发送 500 个投递。请重复调用，直到 `remaining` 为 0：在此期间，任何投递都不会发送两次，任一进程都可以接续。一小时没有调用后，该选择从头开始。如果剩余数量大于 `expected_count`，调用会被拒绝。',
    fields: {
      ...selectionFields,
      expected_count: '您已确认的数量；统计结果带有 `has_more` 时，为任一更大的数',
      redelivered: '本次调用重新发送的投递数',
      remaining: '剩余的投递数；统计结果带有 `has_more` 时，至少为此数；请重复调用，直到为 0',
    },
  },
}
