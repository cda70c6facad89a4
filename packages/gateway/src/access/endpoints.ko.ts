/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'auth.token': {
    source: '42d07386',
    summary: '액세스 토큰 발급',
    description:
      '채널 인증에는 `{client_id, client_secret}`을, 비밀번호 인증에는 OMS 웹사이트 계정의 `{grant_type: "password", username, password}`를 보냅니다. 자격 증명은 JSON 또는 폼 형식의 본문에만 담습니다.',
  },
  'auth.revoke': {
    source: '9edf0836',
    summary: '토큰 폐기',
    description:
      '이 호출에 사용한 토큰을 즉시 폐기합니다. 이후 이 토큰은 `AUTH_INVALID_TOKEN`을 받습니다. OMS 계정의 토큰으로 all 값을 true로 보내면 이 채널에 있는 해당 계정의 모든 토큰을 폐기합니다. 아직 차례를 기다리는 주문은 전송되지 않습니다.',
    fields: { all: '이 채널에 있는 OMS 계정의 모든 토큰을 폐기할지 여부' },
  },
  me: {
    source: 'b94e34e7',
    summary: '토큰 정보 조회',
    description: '토큰의 계정, 채널, 사용할 수 있는 창고, 권한, 업무 스위치를 조회합니다.',
    fields: {
      plan: '채널의 플랜: `reader`, `trader`, `full` 중 하나',
      kind: '계정이면 채널(`channel`) 또는 OMS 계정(`oms_user`), 창고이면 `warehouse` 또는 `company`',
    },
  },
  'plan_requests.create': {
    source: 'c0522fe9',
    summary: '플랜 신청',
    description:
      '`reader`, `trader`, `full` 플랜 중 하나를 신청합니다. 담당 매니저가 승인하면 사용 중인 토큰에 바로 적용됩니다.',
  },
  'plan_requests.list': {
    source: 'f5ee48d7',
    summary: '플랜 신청 목록',
    description: '이 채널의 신청을 최신순으로 조회합니다.',
  },
}
