/** This endpoint's texts in Korean. `source` is the hash of the English text that it translates. */
export const ko = {
  'admin.feedback.list': {
    source: '32490b0d',
    summary: '페이지 평가 목록',
    description: '독자가 평가한 문서 페이지를 지적이 많은 순서로 반환합니다. 횟수만 400일 동안 저장합니다.',
    fields: {
      days: '최근 며칠의 평가를 집계할지',
      page: '페이지의 경로',
      helpful: '도움이 되었다는 평가의 수',
      unclear: '이해하기 어렵다는 평가의 수',
      incomplete: '빠진 내용이 있다는 평가의 수',
      wrong: '잘못된 내용이 있다는 평가의 수',
      other: '이유 없이 도움이 되지 않았다는 평가의 수',
      last_at: '마지막 평가 날짜',
    },
  },
}
