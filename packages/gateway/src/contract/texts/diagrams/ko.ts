import type { DiagramTexts } from './diagram-texts.ts'

export const diagramsKo: DiagramTexts = {
  architecture: {
    title: '아키텍처',
    description:
      '쇼핑몰과 마켓플레이스는 REST API를, 에이전트는 MCP를 호출하고, 운영자는 콘솔을 사용합니다. 모든 호출은 게이트웨이의 같은 처리 단계를 거칩니다. 게이트웨이는 메모리에서 재고를 읽고, 데이터베이스에 기록을 남기며, 서명된 웹훅을 보내고, 커넥터를 통해 ERP에 접근합니다.',
    boxes: {
      shops: '쇼핑몰, 마켓\n귀사의 프로그램',
      agents: '에이전트\n모든 MCP 클라이언트',
      operators: '운영자\n콘솔',
      gateway: 'Trade Gateway\n토큰, 권한, 포인트, 멱등성, 메모리의 재고, 모든 쓰기의 기록',
      erp: '귀사의 ERP\n커넥터로 연결, 재고의 기준',
      database: '데이터베이스\nSQLite 또는 PostgreSQL',
      receivers: '웹훅 수신 서버\n직접 등록한 URL',
    },
    arrows: {
      rest: 'REST',
      mcp: 'MCP',
      admin: 'HTTPS',
      writes: '조회, 주문',
      records: '커밋',
      webhooks: '서명된 이벤트',
    },
  },
  wholesale: {
    title: '도매 주문의 상태 변화',
    description:
      '초안은 재고를 선점하지 않으며 미리보고 수정할 수 있습니다. 제출하면 확정된 주문이 되고, 상품은 한 번 또는 여러 번에 나누어 출고됩니다. 초안과 아직 출고되지 않은 주문은 취소할 수 있습니다.',
    boxes: {
      draft: 'draft\n재고를 선점하지 않음, 수정과 미리보기 가능',
      confirmed: 'confirmed\nERP가 재고를 할당함',
      shipped: '출고\n출고할 때마다 `quantity_shipped` 증가',
      cancelled: 'cancelled\n최종 상태, 재고가 되돌아감',
    },
    arrows: { submit: '제출', ship: '창고 출고', void_draft: '취소', void_order: '취소' },
  },
  dropship: {
    title: '위탁배송 주문의 상태 변화',
    description:
      '미리보기는 선점이 만료될 때까지 재고를 선점합니다. 제출하면 미리보기가 주문이 됩니다. 창고가 주문을 넘겨받아 출고합니다. 미리보기가 해제되거나 만료되면, 그리고 인계 전에 주문을 취소하면 취소 상태가 됩니다. 인계 후에 취소한 주문은 배송이 중지됩니다.',
    boxes: {
      preview: 'pending\n미리보기: `hold.expires_at`까지 재고 선점',
      order: 'pending\n주문: `submitted_at` 설정됨',
      handed: 'pending\n창고에 인계됨',
      shipped: 'shipped\n최종 상태, 운송장 번호 있음',
      cancelled: 'cancelled\n최종 상태, 재고가 되돌아감',
      intercepted: 'intercepted\n최종 상태, 발송되지 않음',
    },
    arrows: {
      submit: '제출',
      hand_over: '인계',
      ship: '출고',
      release: '해제, 만료',
      void_order: '취소',
      intercept: '취소',
    },
  },
  retry: {
    title: '쓰기를 재시도하는 경우',
    description:
      '응답을 받지 못했거나 error.retryable이 true이면, 기다린 뒤 같은 키로 같은 요청을 다시 보내세요. 결과를 계속 알 수 없으면 키를 조회하세요. 응답을 받았고 error.retryable이 false이면 아무것도 생성되지 않았으므로 요청을 수정하세요.',
    boxes: {
      response: '응답을 받았나요?\n시간 초과와 연결 끊김은 아니요',
      retryable: '`retryable`이 true였나요?\n또는 코드가 `INTERNAL`이었나요?',
      correct: '요청 수정\n생성된 것이 없고 키는 다시 쓸 수 있음',
      again: '기다린 뒤 다시 전송\n`Retry-After` 이후, 같은 키와 같은 본문으로',
      look_up: '키 조회\nGET /idempotency-keys',
    },
    arrows: { no: '아니요', yes: '예', not_retryable: '아니요', retryable: '예', unknown: '계속 미확인' },
  },
  webhook: {
    title: '웹훅 전송 일정',
    description:
      '하나의 전송은 최대 여섯 번 시도합니다. 시도가 실패하면 게이트웨이는 {delays} 후에 차례로 재시도합니다. 2xx 상태를 받으면 전송이 끝납니다. 여섯 번째 시도도 실패하면 데드 레터가 되며, 다시 보낼 수 있습니다.',
    boxes: {
      attempt: '{number}차 시도',
      delivered: '전송 완료\n어느 시도든 2xx 상태를 받음',
      dead: '데드 레터\n다시 전송 가능',
    },
    arrows: { delay: '{delay}', failed: '실패' },
  },
}
