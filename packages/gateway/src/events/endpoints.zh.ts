/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'events.list': {
    source: '803358e6',
    summary: '读取事件',
    description:
      '返回渠道在 `since` 所指事件之后的事件，最早的在前；不带 `since` 则从头开始。这是事件流，没有 `page`、`start_date` 和 `end_date`。供中断过的接收端使用：反复传回最后一个 `event_id`，直到 `has_more` 为 false。`order.created` 保留 30 天；`stock.changed` 保留 7 天，且不含行。',
    fields: {
      since: '已收到的最后一个事件的 `event_id`；省略则从保留的最早事件开始',
      type: '只返回该类型的事件；省略表示全部',
    },
  },
  'events.read': {
    source: '0e0b9c1d',
    summary: '读取单个事件',
    description: '返回渠道的一个事件。',
  },
  'events.types': {
    source: '441989d6',
    summary: '列出事件类型',
    description:
      '返回 Webhook 端点可以订阅的全部事件类型，以及各类型 data 的 JSON Schema。文字的语言由 Accept-Language 决定。',
    fields: {
      type: '类型名称，与 `event_types` 中的写法相同',
      summary: '发生了什么',
      description: '网关何时发送，以及如何处理',
      data_schema: '事件 data 的 JSON Schema（2020-12）',
    },
  },
}
