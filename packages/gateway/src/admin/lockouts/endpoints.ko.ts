const fields = {
  lockout_id: '잠금의 ID',
  kind: '`account`: 사용자 이름이 잠겨 있습니다. IP 주소는 프로세스마다 따로 집계하므로 목록에 없습니다.',
  username_hint: '사용자 이름의 처음과 끝. 최대 절반만 표시합니다.',
  address: '사용자 이름만 나열하므로 항상 null',
  failures: '잠금의 원인이 된 로그인 실패 횟수',
  last_failed_at: '마지막 로그인 실패 시각',
  locked_until: '잠금이 저절로 풀리는 시각',
}

/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.lockouts.list': {
    source: '9bf3dd6f',
    summary: '잠긴 사용자 이름 목록',
    description:
      '비밀번호를 다섯 번 틀려 잠긴 사용자 이름을 최근에 잠긴 순서로 반환합니다. 없는 이름도 똑같이 잠깁니다. 잠긴 IP 주소는 나열하지 않습니다.',
    fields,
  },
  'admin.lockouts.delete': {
    source: '5fa5dc8d',
    summary: '사용자 이름 잠금 해제',
    description:
      '잠금을 풀고 실패 기록을 지웁니다. 모든 프로세스에 즉시 적용됩니다. 해제하기 전의 잠금을 반환합니다. 잠긴 IP 주소는 그대로 잠겨 있습니다.',
    fields,
  },
}
