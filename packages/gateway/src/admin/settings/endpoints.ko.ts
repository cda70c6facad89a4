/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.settings.list': {
    source: '51c22598',
    summary: '설정 목록 조회',
    description:
      '이 프로세스의 설정을 반환합니다. 각 설정의 값과 출처를 담습니다. 시크릿은 표시하지 않습니다. 주소에서는 사용자, 비밀번호, 쿼리를 생략합니다.',
    fields: {
      name: '설정의 이름',
      value: '적힌 그대로의 값. 시크릿이거나 값이 없으면 null입니다.',
      source:
        '`environment`: 환경 변수 또는 명령줄. `file`: `.env` 또는 `settings.env`. `default`: 설정하지 않음.',
      secret: '값이 시크릿인지 여부',
      set: '값을 지정했는지 여부',
    },
  },
}
