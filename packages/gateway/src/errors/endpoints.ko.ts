const fields = { retryable: '보통 재시도할 수 있는지 여부. 응답의 `retryable`이 우선합니다.' }

/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'errors.list': {
    source: '79eab6f1',
    summary: '오류 코드 목록',
    description:
      '변하지 않는 모든 오류 코드를 HTTP 상태 코드, 호출자의 언어로 된 설명, 재시도 가능 여부와 함께 조회합니다.',
    fields,
  },
  'errors.read': {
    source: 'c5663c5a',
    summary: '오류 코드 조회',
    description: '오류 코드 목록의 항목 하나를 조회합니다.',
    fields,
  },
}
