/** Texts in Chinese about MCP and webhook responses. `source` is the hash of the English text that each one translates. */
export const zh = {
  mcp: {
    source: '0f4f0293',
    summary: '供智能体使用的业务操作',
    description:
      '基于 Streamable HTTP 的 Model Context Protocol，无会话，使用本 API 的 Bearer 令牌：check_stock、find_products、get_statement、quote_order、place_order、cancel_order、quote_dropship、place_dropship、release_dropship、list_endpoints、call_endpoint。每个操作的权限、点数和响应均与相应的 API 调用一致。',
    priceNote: '与该操作发起的 API 调用所消耗的点数相同',
  },
  webhook_response: {
    source: '4b9db429',
    summary: '已收到。任何 2xx 均可，网关不读取响应体。',
    description:
      '其他任何响应（包括重定向），或 15 秒内没有响应，都算失败：网关会在 30 秒、2 分钟、10 分钟、1 小时和 6 小时后以相同的 event_id 再次发送；6 次尝试之后成为死信。',
  },
}
