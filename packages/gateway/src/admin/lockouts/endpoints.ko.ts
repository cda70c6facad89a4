const fields = {
  lockout_id: '잠금의 ID',
  kind: '`account`: 사용자 이름이 잠겨 있습니다. `address`: IP 주소가 잠겨 있습니다. IP 주소의 실패는 프로세스마다 따로 집계하므로 일부 프로세스에서만 잠겨 있을 수 있습니다.',
  username_hint: '사용자 이름의 처음과 끝. 최대 절반만 표시합니다. IP 주소이면 null입니다.',
  address: 'IPv4 주소 또는 IPv6의 /64 대역. 사용자 이름이면 null입니다.',
  failures: '잠금의 원인이 된 로그인 실패 횟수',
  last_failed_at: '마지막 로그인 실패 시각',
  locked_until: '잠금이 저절로 풀리는 시각',
}

/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.lockouts.list': {
    source: '82398eed',
    summary: '잠긴 사용자 이름과 IP 주소 목록',
    description:
      '비밀번호를 다섯 번 틀려 잠긴 사용자 이름과, 한 시간에 로그인을 100번 실패해 잠긴 IP 주소를 늦게 풀리는 순서로 반환합니다. 없는 이름도 똑같이 잠깁니다.',
    fields,
  },
  'admin.lockouts.delete': {
    source: 'fbd0cb49',
    summary: '사용자 이름 또는 IP 주소 잠금 해제',
    description:
      '잠금을 풀고 실패 기록을 지웁니다. 사용자 이름은 모든 프로세스에서 즉시, IP 주소는 1초 안에 풀립니다. 해제하기 전의 잠금을 반환합니다.',
    fields,
  },
}
