/** Texts in Korean about MCP and webhook responses. `source` is the hash of the English text that each one translates. */
export const ko = {
  mcp: {
    source: '0f4f0293',
    summary: '에이전트를 위한 업무 작업',
    description:
      '세션 없는 Streamable HTTP로 제공하는 Model Context Protocol이며, 이 API의 Bearer 토큰을 사용합니다. 작업은 check_stock, find_products, get_statement, quote_order, place_order, cancel_order, quote_dropship, place_dropship, release_dropship, list_endpoints, call_endpoint입니다. 권한, 포인트, 응답은 작업이 호출하는 엔드포인트와 같습니다.',
    priceNote: '작업이 보내는 API 호출의 포인트만큼 차감됩니다',
  },
  webhook_response: {
    source: '4b9db429',
    summary: '이벤트를 받았습니다. 모든 2xx가 성공이며 본문은 확인하지 않습니다.',
    description:
      '리디렉션을 포함한 다른 응답을 받거나 15초 안에 응답을 받지 못하면 실패입니다. 30초, 2분, 10분, 1시간, 6시간 뒤에 같은 `event_id`로 재시도하며, 6번 시도한 뒤에는 데드 레터가 됩니다.',
  },
}
