/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'idempotency_keys.list': {
    source: '9ac10d60',
    summary: 'Idempotency-Key 조회',
    description:
      '채널이 특정 키로 보낸 요청의 결과를 조회합니다. `running`, `completed`, `in_doubt`(결과를 조회하는 중), `failed`(아무 작업도 수행되지 않음) 중 하나입니다. 응답을 받지 못한 클라이언트를 위한 호출입니다.',
  },
}
