/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'idempotency_keys.list': {
    source: '0dee5de4',
    summary: 'Idempotency-Key 조회',
    description:
      '채널이 특정 키로 보낸 요청의 결과를 조회합니다. `running`, `completed`, `in_doubt`(결과를 조회하는 중), `failed`(아무 작업도 수행되지 않음) 중 하나입니다. 응답을 받지 못한 클라이언트를 위한 호출입니다. 빈 목록은 이 키로 저장된 것이 없다는 뜻일 뿐입니다. 요청이 아직 처리되기 전일 수 있으므로 같은 키로 재시도하세요.',
  },
}
