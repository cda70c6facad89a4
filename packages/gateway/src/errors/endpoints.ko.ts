/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'errors.list': {
    source: 'cf8f3378',
    summary: '오류 코드 목록',
    description:
      '변하지 않는 모든 오류 코드를 HTTP 상태 코드, 호출자의 언어로 된 설명, 재시도 가능 여부와 함께 조회합니다.',
  },
  'errors.read': {
    source: '82a8492c',
    summary: '오류 코드 조회',
    description: '오류 코드 목록의 항목 하나를 조회합니다.',
  },
}
