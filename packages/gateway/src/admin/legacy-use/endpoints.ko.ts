/** This endpoint's texts in Korean. `source` is the hash of the English text that they translate. */
export const ko = {
  'admin.legacy_use.read': {
    source: '9b5ecb9f',
    summary: '구 게이트웨이를 사용하는 채널 조회',
    description:
      '최근 31일 동안 구 게이트웨이의 토큰을 사용한 호출과 구 경로 `/Api/*`의 호출을, 호출이 많은 호출자부터 반환합니다. 해당 채널은 `until` 이전에 옮겨야 합니다. 다른 프로세스의 집계는 몇 초 안에 반영됩니다.',
    fields: {
      until: '구 게이트웨이의 토큰이 만료되는 시각(`LEGACY_TOKENS_UNTIL`)',
      channel_code: '채널. 유효한 토큰이 없는 호출은 null',
      token_calls: '구 토큰을 사용한 호출 수',
      path_calls: '구 경로의 호출 수. 모두 `ENDPOINT_GONE`으로 실패했습니다.',
      paths: '호출이 가장 많은 구 경로, 최대 50개. `/api/*`: 그 밖의 알 수 없는 경로',
      path: '소문자로 쓴 구 경로',
      calls: '이 경로의 호출 수',
      last_used_at: '이런 호출의 마지막 시각',
    },
  },
}
