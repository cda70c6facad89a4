/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.requests.list': {
    source: 'bd93e4db',
    summary: '搜索请求日志',
    description:
      '返回全部渠道的请求，最新的在前：写操作、失败和缓慢的读取；设置 `LOG_REQUESTS=all` 时为全部请求。不计点数的拒绝只保留一部分：无令牌的调用合计每分钟 300 条，每个渠道每秒 200 条。每个筛选条件都会缩小范围。',
    fields: {
      code: '只返回以该错误码失败的请求',
      route: '只返回该路径的请求，参数用花括号表示',
      failed: 'true：只返回状态码为 400 及以上的请求',
      since: '只返回该时刻起的请求',
      until: '只返回该时刻之前的请求',
      channel_code: '渠道；请求没有有效令牌时为 null',
      client_order_number: '请求正文中的客户订单号，请求被拒绝时也有；没有时为 null',
    },
  },
  'admin.channel_reads.read': {
    source: 'a86c4172',
    summary: '查看渠道的读取情况',
    description:
      '按路径返回渠道最近若干小时内成功的读取。除非设置 `LOG_REQUESTS=all`，这些读取在请求日志中没有记录，只按分钟计数。不含当前这一分钟。',
    fields: {
      hours: '小时数',
      since: '时段的开始',
      until: '网关时钟的当前时刻',
      busiest_minute: '读取最多的一分钟；没有读取时为 null',
      at: '这一分钟的开始',
      calls: '读取次数',
      points: '读取消耗的点数',
      routes: '每个路径一项，读取最多的在前',
      mean_ms: '一次读取的平均毫秒数',
    },
  },
  'admin.requests.read': {
    source: '946b00b6',
    summary: '跟踪单个请求',
    description: '返回全部渠道使用同一 ID 的请求，最新的在前，以及随后产生的事件和 Webhook 投递。',
  },
}
