/** This endpoint's texts in Korean. `source` is the hash of the English text that it translates. */
export const ko = {
  'visitors.token': {
    source: 'e4032f1a',
    summary: '샌드박스 방문자 토큰 발급',
    description:
      '샌드박스의 재고와 상품을 조회할 수 있는 토큰을 발급합니다. 독자가 계정 없이 호출해 볼 수 있도록 페이지가 호출합니다. ERP가 샌드박스가 아니면 `NOT_FOUND`를 반환합니다.',
    fields: { access_token: '`Authorization` 헤더에 넣을 토큰', expires_at: '토큰의 만료 시각' },
  },
}
