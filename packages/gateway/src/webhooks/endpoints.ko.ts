/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'webhook_endpoints.create': {
    source: 'c86979ac',
    summary: '웹훅 엔드포인트 등록',
    description:
      '이벤트를 받을 엔드포인트를 등록합니다. 채널당 최대 5개이며, 시크릿은 이 응답에서만 표시됩니다. `warehouse_codes`는 `stock.changed`의 범위를 좁힙니다. 통합 창고의 이벤트는 `warehouse_codes`나 허용 목록에 그 통합 창고가 있을 때만 전송합니다. 샌드박스에서 경로가 `/sandbox/inbox/<name>`인 URL은 게이트웨이 자체의 수신함입니다.',
  },
  'webhook_endpoints.list': {
    source: 'bb76a569',
    summary: '웹훅 엔드포인트 목록',
    description:
      '채널의 모든 엔드포인트를 마지막 성공, 마지막 실패와 함께 조회합니다. 시크릿은 표시하지 않습니다.',
  },
  'webhook_endpoints.read': {
    source: '90d6a7d6',
    summary: '웹훅 엔드포인트 조회',
    description: '엔드포인트 하나를 마지막 성공, 마지막 실패와 함께 조회합니다.',
  },
  'webhook_endpoints.change': {
    source: '1173c159',
    summary: '웹훅 엔드포인트 변경',
    description: '보낸 필드만 변경합니다. 1초 뒤에 시작하는 시도부터 적용됩니다.',
  },
  'webhook_endpoints.delete': {
    source: '8f49da9f',
    summary: '웹훅 엔드포인트 삭제',
    description:
      '엔드포인트로 더 이상 전송하지 않으며, 대기 중이던 전송은 취소합니다. 두 번 호출해도 결과는 같습니다.',
  },
  'webhook_endpoints.rotate': {
    source: '15d0a7b2',
    summary: '시크릿 교체',
    description:
      '새 시크릿을 반환합니다. 시크릿은 이 응답에서만 표시됩니다. 24시간 동안 두 시크릿 모두로 서명하므로 수신 서버는 중단 없이 시크릿을 교체할 수 있습니다.',
  },
  'webhook_endpoints.test': {
    source: '0f1c098a',
    summary: '테스트 전송',
    description:
      '이 엔드포인트로 `webhook.test` 유형의 이벤트를 보냅니다. 실제 이벤트와 같은 대기열과 서명을 거치며, 결과는 `GET /webhook-deliveries`로 확인합니다.',
  },
  'webhook_deliveries.list': {
    source: '388edb13',
    summary: '전송 목록',
    description:
      '각 이벤트가 각 엔드포인트로 전송된 결과를 조회합니다. 날짜를 지정하지 않으면 최근 30일의 전송과 모든 데드 레터를 반환합니다.',
  },
  'webhook_deliveries.read': {
    source: '64f26512',
    summary: '전송 조회',
    description: '전송 하나의 시도 횟수와 마지막 결과를 조회합니다.',
  },
  'webhook_deliveries.redeliver': {
    source: '6b8af68c',
    summary: '다시 전송',
    description:
      '같은 `event_id`로 바로 다시 전송하며, 재시도 일정은 처음부터 시작합니다. 대기 중인 전송은 바로 시도합니다.',
  },
}
