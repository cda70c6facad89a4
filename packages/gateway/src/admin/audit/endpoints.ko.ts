/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
const filters = {
  actor: '이 이름의 운영자가 실행한 호출만',
  action: '이 엔드포인트의 호출만. 엔드포인트 ID로 지정합니다.',
  subject: '경로가 이 값으로 시작하는 호출만',
  within: '이 경로와 그 하위 경로의 호출만',
  changes: 'true이면 무언가를 변경한 호출만',
  since: '이 시각 이후의 기록만',
  until: '이 시각 이전의 기록만',
}

export const ko = {
  'admin.audit.list': {
    source: '34cf73ad',
    summary: '감사 로그 검색',
    description:
      '운영자 엔드포인트의 모든 호출을 최신순으로 반환합니다. 실행한 사람, 작업, 결과, 변경 전후의 상태가 들어 있습니다. 화면이 스스로 반복하는 읽기는 한 시간에 한 번만 기록합니다. 필터를 더할수록 범위가 좁아집니다.',
    fields: {
      ...filters,
    },
  },
  'admin.audit.export': {
    source: 'd75c4c39',
    summary: '감사 로그 내보내기',
    description:
      '필터에 맞는 모든 기록을 오래된 순으로 반환합니다. 한 줄에 JSON 객체 하나이며, `Accept: text/csv`이면 CSV입니다. 응답은 끝 표시가 없는 스트림이므로, 연결이 끊어지면 내용이 완전하지 않습니다.',
    fields: filters,
  },
  'admin.audit.verify': {
    source: '0af7a078',
    summary: '감사 로그 검증',
    description:
      '변경되거나 삭제되거나 삽입된 기록, 끝에서 잘려 나간 기록이 없는지 검증합니다. 호출 한 번에 최대 50,000개의 기록을 검증합니다. `next_cursor`가 null이 될 때까지 `next_cursor`로 다시 호출하세요. 로그의 끝은 이 게이트웨이가 데이터베이스 밖에 적어 둔 값과 비교합니다.',
    fields: {
      cursor: '이전 부분의 `next_cursor`',
      noted: '로그 줄에서 확인한 감사 로그의 끝',
      number: '로그 줄의 rows',
      mac: '로그 줄의 subject',
      ok: '이 부분에서 문제가 발견되지 않았는지 여부',
      rows: '이 부분의 기록 수',
      first_problem: '처음 발견된 문제. 문제가 없으면 null입니다.',
      next_cursor: '다음 부분의 커서. 마지막 부분이면 null입니다.',
    },
  },
  'admin.audit.read': {
    source: 'b93d466f',
    summary: '감사 기록 조회',
    description: '운영자 엔드포인트의 호출 하나와 변경 전후의 상태를 반환합니다.',
  },
}
