/**
 * The texts of the diagrams of the pages. The first line of a box is its name, the second one a note. `{delay}` and such
 * are filled in by `pages/diagrams`.
 */
export const diagramsEn = {
  architecture: {
    title: 'Architecture',
    description:
      'Shops and marketplaces call the REST API, agents call MCP, and operators use the console. All calls pass the one pipeline of the gateway. The gateway reads stock from memory, keeps its records in a database, sends signed webhooks, and reaches the ERP through a connector.',
    boxes: {
      shops: 'Shops\nmarketplaces, your program',
      agents: 'Agents\nany MCP client',
      operators: 'Operators\nthe console',
      gateway:
        'Trade Gateway\ntokens, permissions, points, idempotency, stock in memory, one record of each write',
      erp: 'Your ERP\nthrough a connector; it owns the stock',
      database: 'Database\nSQLite or PostgreSQL',
      receivers: 'Your receivers\nURLs that you register',
    },
    arrows: {
      rest: 'REST',
      mcp: 'MCP',
      admin: 'HTTPS',
      writes: 'reads, orders',
      records: 'commits',
      webhooks: 'signed events',
    },
  },
  wholesale: {
    title: 'Life cycle of a wholesale order',
    description:
      'A draft holds no stock and can be previewed and changed. A submit makes it a confirmed order, and its goods ship in one or more shipments. A draft or an order that has not shipped can be voided and is then cancelled.',
    boxes: {
      draft: 'draft\nholds no stock; change and preview it as often as you like',
      confirmed: 'confirmed\nthe ERP has allocated the stock',
      shipped: 'Goods ship\n`quantity_shipped` grows with each shipment',
      cancelled: 'cancelled\nfinal; the stock is back',
    },
    arrows: { submit: 'submit', ship: 'warehouse', void_draft: 'void', void_order: 'void' },
  },
  dropship: {
    title: 'Life cycle of a drop-ship order',
    description:
      'A preview holds the stock until its hold expires. A submit turns the preview into an order. The warehouse receives the order and ships it. A preview that is released or expires, and an order that is voided before the hand-over, are cancelled. An order that is voided after the hand-over is intercepted.',
    boxes: {
      preview: 'pending\na preview: stock is held until `hold.expires_at`',
      order: 'pending\nan order: `submitted_at` is set',
      handed: 'pending\nhanded over to the warehouse',
      shipped: 'shipped\nfinal; has a tracking number',
      cancelled: 'cancelled\nfinal; the stock is back',
      intercepted: 'intercepted\nfinal; the parcel stays',
    },
    arrows: {
      submit: 'submit',
      hand_over: 'hand-over',
      ship: 'ship',
      release: 'release, expiry',
      void_order: 'void',
      intercept: 'void',
    },
  },
  retry: {
    title: 'When to retry a write',
    description:
      'If no response came, or if error.retryable is true, wait and send the same request with the same key. If the result stays unknown, look up the key. If a response came and error.retryable is false, nothing was created: correct the request.',
    boxes: {
      response: 'Did a response come?\ntimeouts and broken connections count as no',
      retryable: 'Is `retryable` true?\nor is the code `INTERNAL`?',
      correct: 'Correct the request\nnothing was created; the key is free',
      again: 'Wait, then send it again\nafter `Retry-After`, with the SAME key and the same body',
      look_up: 'Look up the key\nGET /idempotency-keys',
    },
    arrows: { no: 'no', yes: 'yes', not_retryable: 'no', retryable: 'yes', unknown: 'still unknown' },
  },
  webhook: {
    title: 'Schedule of webhook deliveries',
    description:
      'A delivery has up to six attempts. The gateway repeats a failed attempt after {delays}. Any 2xx status ends the delivery. After the sixth failed attempt the delivery is a dead letter, which you can send again.',
    boxes: {
      attempt: 'Attempt {number}',
      delivered: 'Delivered\nany attempt that returns a 2xx status',
      dead: 'Dead letter\nsend it again',
    },
    arrows: { delay: '{delay}', failed: 'failed' },
  },
} as const
