/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
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
}
