/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'sandbox.faults': {
    source: '50fb2fa4',
    summary: '让沙盒出错',
    description: '设置内置 ERP 的写操作以何种方式、多大概率出错；空对象表示关闭。',
  },
  'sandbox.clock': {
    source: 'af3137b7',
    summary: '拨快沙盒时钟',
    description: '让内置 ERP 的时间前进：预占到期，订单移交仓库并发货。',
  },
  'sandbox.stock': {
    source: 'abe8a8e5',
    summary: '设置沙盒库存',
    description: '设置某仓库中某 SKU 的在库数量；0 表示售罄。',
  },
  'sandbox.price': {
    source: 'bdf4abd4',
    summary: '修改沙盒价格',
    description: '设置某 SKU 的批发标价，以最小货币单位计。',
  },
  'sandbox.ship': {
    source: 'cc1bdd74',
    summary: '在沙盒中发货',
    description: '让订单立即离开仓库。使用管理令牌，或使用拥有该订单的渠道的 Bearer 令牌。',
  },
  'sandbox.intercept': {
    source: 'a53e0dc2',
    summary: '在沙盒中拦截',
    description: '拦截途中的一件代发订单。使用管理令牌，或使用拥有该订单的渠道的 Bearer 令牌。',
  },
  'sandbox.inbox.read': {
    source: '4b35dcb5',
    summary: '查看沙盒收件箱',
    description: '返回渠道的收件箱收到的消息，最新的在前，以及签名是否相符。',
  },
  'sandbox.inbox.fail': {
    source: '31ee2a74',
    summary: '让沙盒收件箱返回失败',
    description: '接下来的 `fail_times` 次投递返回 `fail_status`。',
  },
  'sandbox.inbox.empty': {
    source: '7da0853c',
    summary: '清空沙盒收件箱',
    description: '清空收到的消息，并取消预设的失败响应。',
  },
}
