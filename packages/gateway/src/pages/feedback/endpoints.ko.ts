/** This endpoint's texts in Korean. `source` is the hash of the English text that it translates. */
export const ko = {
  'feedback.create': {
    source: 'acf27017',
    summary: '문서 페이지 평가',
    description:
      '페이지가 도움이 되었는지, 아니라면 그 이유를 집계합니다. 페이지가 호출합니다. 횟수만 저장하며 주소, 글, 계정은 저장하지 않습니다.',
    fields: {
      page: '페이지의 경로',
      language: '페이지를 읽은 언어',
      verdict: '`helpful` 또는 페이지가 도움이 되지 않은 이유',
    },
  },
}
