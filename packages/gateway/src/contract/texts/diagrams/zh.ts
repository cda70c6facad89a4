import type { DiagramTexts } from './diagram-texts.ts'

export const diagramsZh: DiagramTexts = {
  architecture: {
    title: '架构',
    description:
      '店铺和电商平台调用 REST API，智能体调用 MCP，运维人员使用管理后台。所有调用都经过网关的同一条处理流程。网关从内存读取库存，将记录保存在数据库中，发送带签名的 Webhook，并通过连接器访问 ERP。',
    boxes: {
      shops: '店铺\n电商平台，您的程序',
      agents: '智能体\n任意 MCP 客户端',
      operators: '运维人员\n管理后台',
      gateway: 'Trade Gateway\n令牌、权限、点数、幂等、内存中的库存，每次写操作都有记录',
      erp: '您的 ERP\n通过连接器访问；库存以 ERP 为准',
      database: '数据库\nSQLite 或 PostgreSQL',
      receivers: '您的接收端\n由您注册的网址',
    },
    arrows: {
      rest: 'REST',
      mcp: 'MCP',
      admin: 'HTTPS',
      writes: '读取、下单',
      records: '提交',
      webhooks: '签名事件',
    },
  },
  wholesale: {
    title: '批发订单的生命周期',
    description:
      '草稿不预占库存，可以预览和修改。提交后成为已确认的订单，货物分一次或多次发出。草稿以及尚未发货的订单可以作废，作废后状态为已取消。',
    boxes: {
      draft: 'draft\n不预占库存，可反复修改和预览',
      confirmed: 'confirmed\nERP 已分配库存',
      shipped: '发货\n每次发货后 `quantity_shipped` 增加',
      cancelled: 'cancelled\n最终状态，库存已归还',
    },
    arrows: { submit: '提交', ship: '仓库发货', void_draft: '作废', void_order: '作废' },
  },
  dropship: {
    title: '一件代发订单的生命周期',
    description:
      '预览会预占库存，直到预占到期。提交后预览成为订单。仓库收到订单后发货。预览被释放或到期，以及订单在移交仓库之前作废，状态为已取消。移交之后作废的订单为已拦截。',
    boxes: {
      preview: 'pending\n预览：库存预占至 `hold.expires_at`',
      order: 'pending\n订单：`submitted_at` 有值',
      handed: 'pending\n已移交仓库',
      shipped: 'shipped\n最终状态，有物流单号',
      cancelled: 'cancelled\n最终状态，库存已归还',
      intercepted: 'intercepted\n最终状态，包裹未发出',
    },
    arrows: {
      submit: '提交',
      hand_over: '移交',
      ship: '发货',
      release: '释放、到期',
      void_order: '作废',
      intercept: '作废',
    },
  },
  retry: {
    title: '何时重试写操作',
    description:
      '如果没有收到响应，或 error.retryable 为 true，请等待后用同一个幂等键重新发送同样的请求。如果结果仍然未知，请查询幂等键。如果收到了响应且 error.retryable 为 false，则没有创建任何内容，请修正请求。',
    boxes: {
      response: '收到响应了吗？\n超时和连接中断视为没有',
      retryable: '`retryable` 为 true？\n或错误码为 `INTERNAL`？',
      correct: '修正请求\n没有创建任何内容，幂等键可再次使用',
      again: '等待后重新发送\n等待 `Retry-After`，使用同一个幂等键和同样的请求体',
      look_up: '查询幂等键\nGET /idempotency-keys',
    },
    arrows: { no: '否', yes: '是', not_retryable: '否', retryable: '是', unknown: '仍然未知' },
  },
  webhook: {
    title: 'Webhook 的投递时间表',
    description:
      '一次投递最多尝试六次。尝试失败后，网关依次在 {delays} 后重试。任意 2xx 状态码即表示投递完成。第六次失败后，投递成为死信，您可以重新发送。',
    boxes: {
      attempt: '第 {number} 次',
      delivered: '投递完成\n任意一次返回 2xx 状态码',
      dead: '死信\n可重新发送',
    },
    arrows: { delay: '{delay}', failed: '失败' },
  },
}
