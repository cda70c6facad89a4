/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'requests.read': {
    source: 'a5e6c3f8',
    summary: '按 ID 查找请求',
    description:
      '返回渠道的一个请求的经过：状态码、错误码、点数、耗时、对 ERP 的调用，以及随后产生的事件和 Webhook 投递。写操作、失败和缓慢的读取可查询 14 天，其他读取只计数。多次使用同一个 `X-Request-Id` 时，返回全部请求，最新的在前。',
    fields: {
      account_id: '令牌的 OMS 账号；渠道令牌为 null',
      client_order_number: '请求正文中您自己的订单号，请求被拒绝时也有；没有时为 null',
    },
  },
}
