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
    source: '8d30207a',
    summary: '채널 변경',
    description:
      '이름, 플랜, 허용 목록, 거래처, 포인트 한도, 업무 스위치를 변경합니다. 사용 중인 토큰에는 1초 안에 적용됩니다.',
  },
  'admin.channels.delete': {
    source: '3e14e768',
    summary: '채널 삭제',
    description: '채널의 클라이언트 시크릿과 토큰을 폐기합니다. 채널 코드는 다시 발급되지 않습니다.',
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
  'admin.tokens.list': {
    source: 'a553381a',
    summary: '유효한 토큰 목록',
    description: '채널의 유효한 토큰을 최신순으로 조회합니다(토큰 값은 제외).',
  },
  'admin.tokens.revoke': {
    source: '3f1f3560',
    summary: '토큰 폐기',
    description: '토큰 하나를 폐기하며, 1초 안에 모든 프로세스에 적용됩니다.',
  },
  'admin.account_tokens.revoke': {
    source: '884d97ae',
    summary: '계정의 토큰 폐기',
    description:
      '채널에서 OMS 계정의 모든 토큰을 폐기하며, 1초 안에 적용됩니다. 계정은 다시 로그인할 수 있습니다.',
  },
  'admin.signing_keys.rotate': {
    source: '36b62233',
    summary: '서명 키 교체',
    description:
      '새 토큰을 새 키로 서명합니다. 이전 키로 서명한 토큰은 만료될 때까지 유효합니다. `compromised: true`를 보내면 1초 안에 거부됩니다.',
  },
  'admin.plan_requests.list': {
    source: 'db4bcbf4',
    summary: '전체 플랜 신청 목록',
    description: '모든 채널의 플랜 신청을 최신순으로 조회합니다.',
  },
  'admin.plan_requests.approve': {
    source: 'bfa02566',
    summary: '플랜 신청 승인',
    description: '플랜을 적용합니다. 사용 중인 토큰에는 1초 안에 적용됩니다.',
  },
  'admin.plan_requests.decline': {
    source: '309b5c07',
    summary: '플랜 신청 거부',
    description: '플랜을 변경하지 않습니다.',
  },
  'admin.doubts.list': {
    source: '6bac2b21',
    summary: '결과 미확인 쓰기 목록',
    description:
      '결과를 알 수 없는 ERP 쓰기를 오래된 순으로 조회합니다. `settled_by`는 결과를 확정하는 주체입니다. 게이트웨이가 조회해 확정하며, ERP가 조회를 지원하지 않으면 사람이 확정해야 합니다.',
  },
  'admin.doubts.settle': {
    source: 'b8ca60e8',
    summary: '결과 미확인 쓰기의 결과 확정',
    description:
      'ERP를 직접 확인한 사람이 호출합니다. `found`는 ERP의 문서를 조회해 쓰기를 완료하고, `absent`는 쓰기를 되돌리고 키를 다시 쓸 수 있게 합니다.',
  },
  'admin.requests.list': {
    source: 'd04e60f8',
    summary: '요청 로그 검색',
    description:
      '모든 채널의 요청을 최신순으로 반환합니다. 쓰기, 실패, 느린 조회가 대상이며 LOG_REQUESTS=all이면 모든 요청이 대상입니다. 필터를 더할수록 범위가 좁아집니다.',
    fields: {
      code: '이 오류 코드로 실패한 요청만',
      route: '이 경로의 요청만. 매개변수는 중괄호로 나타냅니다.',
      failed: 'true이면 상태 코드가 400 이상인 요청만',
      since: '이 시각 이후의 요청만',
      until: '이 시각 이전의 요청만',
      cursor: '이전 페이지의 next_cursor',
      next_cursor: '다음 페이지의 커서. 마지막 페이지면 null입니다.',
      channel_code: '채널. 요청에 유효한 토큰이 없으면 null입니다.',
    },
  },
  'admin.requests.read': {
    source: '946b00b6',
    summary: '요청 하나 추적',
    description:
      '같은 ID를 쓴 모든 채널의 요청을 최신순으로 반환하고, 이어서 생긴 이벤트와 웹훅 전송도 반환합니다.',
  },
}
