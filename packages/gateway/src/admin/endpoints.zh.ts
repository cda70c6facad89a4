/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.channels.create': {
    source: '4522263d',
    summary: '创建渠道',
    description: '返回渠道及客户端密钥。密钥只在本次响应中显示。',
  },
  'admin.channels.list': {
    source: 'cd0c5b67',
    summary: '列出渠道',
    description: '列出全部渠道及各自的套餐、白名单、配额和客户端密钥（不含密钥的值）。',
  },
  'admin.channels.read': {
    source: 'd1aa7171',
    summary: '查看一个渠道',
    description: '返回一个渠道，包括套餐、白名单、配额和业务开关。',
  },
  'admin.channels.change': {
    source: '8d30207a',
    summary: '修改渠道',
    description: '可修改名称、套餐、白名单、客户、配额和业务开关。修改在一秒内对现有令牌生效。',
  },
  'admin.channels.delete': {
    source: '3e14e768',
    summary: '删除渠道',
    description: '吊销渠道的客户端密钥和令牌。渠道代码不会再次使用。',
  },
  'admin.secrets.create': {
    source: 'f441cde7',
    summary: '签发客户端密钥',
    description: '返回新的客户端密钥，只在本次响应中显示。旧密钥在删除之前仍然有效。',
  },
  'admin.secrets.delete': {
    source: '5bb1ce25',
    summary: '删除客户端密钥',
    description: '吊销该客户端密钥，以及用该密钥签发的令牌。',
  },
  'admin.tokens.list': {
    source: 'a553381a',
    summary: '列出有效令牌',
    description: '列出一个渠道的有效令牌，最新的在前（不含令牌的值）。',
  },
  'admin.tokens.revoke': {
    source: '3f1f3560',
    summary: '吊销一个令牌',
    description: '终止一个令牌，一秒内在所有进程中生效。',
  },
  'admin.account_tokens.revoke': {
    source: '884d97ae',
    summary: '吊销账号的令牌',
    description: '终止一个 OMS 账号在某个渠道的全部令牌，一秒内生效。该账号可以重新登录。',
  },
  'admin.signing_keys.rotate': {
    source: '36b62233',
    summary: '轮换签名密钥',
    description:
      '以新密钥签发新令牌。用旧密钥签发的令牌在到期之前仍然有效；带 `compromised: true` 时，一秒内全部拒绝。',
  },
  'admin.plan_requests.list': {
    source: 'db4bcbf4',
    summary: '列出全部套餐申请',
    description: '列出所有渠道的套餐申请，最新的在前。',
  },
  'admin.plan_requests.approve': {
    source: 'bfa02566',
    summary: '批准套餐申请',
    description: '设置套餐，在一秒内对现有令牌生效。',
  },
  'admin.plan_requests.decline': {
    source: '309b5c07',
    summary: '拒绝套餐申请',
    description: '套餐保持不变。',
  },
  'admin.doubts.list': {
    source: '6bac2b21',
    summary: '列出结果未知的写操作',
    description:
      '列出对 ERP 的结果未知的写操作，最早的在前。settled_by 表示由网关自行查询，还是因 ERP 不支持查询而由人工确认。',
  },
  'admin.doubts.settle': {
    source: 'b8ca60e8',
    summary: '确认写操作的结果',
    description:
      '供已在 ERP 中查明结果的人员使用：found 读取 ERP 中的单据并完成写操作，absent 撤回写操作并释放幂等键。',
  },
  'admin.requests.list': {
    source: 'd04e60f8',
    summary: '搜索请求日志',
    description:
      '返回全部渠道的请求，最新的在前：写操作、失败和缓慢的读取；设置 LOG_REQUESTS=all 时为全部请求。每个筛选条件都会缩小范围。',
    fields: {
      code: '只返回以该错误码失败的请求',
      route: '只返回该路径的请求，参数用花括号表示',
      failed: 'true：只返回状态码为 400 及以上的请求',
      since: '只返回该时刻起的请求',
      until: '只返回该时刻之前的请求',
      cursor: '上一页的 next_cursor',
      next_cursor: '下一页的游标；最后一页为 null',
      channel_code: '渠道；请求没有有效令牌时为 null',
    },
  },
  'admin.requests.read': {
    source: '946b00b6',
    summary: '跟踪单个请求',
    description: '返回全部渠道使用同一 ID 的请求，最新的在前，以及随后产生的事件和 Webhook 投递。',
  },
}
