/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.channels.create': {
    source: '4522263d',
    summary: '채널 생성',
    description: '채널과 클라이언트 시크릿을 반환합니다. 시크릿은 이 응답에서만 표시됩니다.',
  },
  'admin.channels.list': {
    source: 'cd0c5b67',
    summary: '채널 목록',
    description: '모든 채널을 플랜, 허용 목록, 포인트 한도, 클라이언트 시크릿(값은 제외)과 함께 조회합니다.',
  },
  'admin.channels.read': {
    source: 'd1aa7171',
    summary: '채널 조회',
    description: '채널 하나를 플랜, 허용 목록, 포인트 한도, 업무 스위치와 함께 조회합니다.',
  },
  'admin.channels.change': {
    source: 'bd6e3c4b',
    summary: '채널 변경',
    description:
      '이름, 플랜, 허용 목록, 거래처, 포인트 한도, 업무 스위치를 변경하거나 채널을 일시 중지합니다. 사용 중인 토큰에는 1초 안에 적용됩니다. 일시 중지된 채널의 토큰과 새 로그인은 재개할 때까지 `AUTH_INVALID_TOKEN`을 받습니다. `expected_updated_at`을 보내면, 그 뒤에 다른 사람이 채널을 변경한 경우 변경을 거부합니다.',
    fields: {
      expected_updated_at: '조회한 채널의 `updated_at`. 지금 값이 다르면 아무것도 변경하지 않습니다.',
    },
  },
  'admin.channels.delete': {
    source: '595142a0',
    summary: '채널 삭제',
    description:
      '채널의 클라이언트 시크릿과 토큰을 폐기하고, 대기 중인 플랜 신청을 거부합니다. 채널 코드는 다시 발급되지 않습니다.',
  },
  'admin.secrets.create': {
    source: 'f441cde7',
    summary: '클라이언트 시크릿 발급',
    description:
      '시크릿을 반환합니다. 시크릿은 이 응답에서만 표시됩니다. 이전 시크릿은 삭제할 때까지 유효합니다.',
  },
  'admin.secrets.delete': {
    source: '5bb1ce25',
    summary: '클라이언트 시크릿 삭제',
    description: '시크릿과 그 시크릿으로 발급된 토큰을 폐기합니다.',
  },
}
