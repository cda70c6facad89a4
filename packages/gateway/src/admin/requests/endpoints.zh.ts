/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.requests.list': {
    source: '0bbabd98',
    summary: '搜索请求日志',
    description:
      '返回全部渠道的请求，最新的在前：写操作、失败和缓慢的读取；设置 LOG_REQUESTS=all 时为全部请求。每个筛选条件都会缩小范围。',
    fields: {
      code: '只返回以该错误码失败的请求',
      route: '只返回该路径的请求，参数用花括号表示',
      failed: 'true：只返回状态码为 400 及以上的请求',
      since: '只返回该时刻起的请求',
      until: '只返回该时刻之前的请求',
      channel_code: '渠道；请求没有有效令牌时为 null',
    },
  },
  'admin.requests.read': {
    source: '946b00b6',
    summary: '跟踪单个请求',
    description: '返回全部渠道使用同一 ID 的请求，最新的在前，以及随后产生的事件和 Webhook 投递。',
  },
}
