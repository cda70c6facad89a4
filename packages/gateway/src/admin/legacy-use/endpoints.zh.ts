/** This endpoint's texts in Chinese. `source` is the hash of the English text that they translate. */
export const zh = {
  'admin.legacy_use.read': {
    source: '9b5ecb9f',
    summary: '查看谁在使用旧版网关',
    description:
      '返回最近 31 天内使用旧版网关令牌的调用，以及对旧版路径 `/Api/*` 的调用，调用最多的调用方在前。这些渠道必须在 `until` 之前迁移。其他进程的计数在数秒内到达。',
    fields: {
      until: '旧版网关令牌的失效时间（`LEGACY_TOKENS_UNTIL`）',
      channel_code: '渠道；没有有效令牌的调用为 null',
      token_calls: '使用旧版令牌的调用数',
      path_calls: '旧版路径的调用数，全部以 `ENDPOINT_GONE` 失败',
      paths: '调用最多的旧版路径，最多 50 个。`/api/*`：其余未知路径',
      path: '旧版路径，小写',
      calls: '该路径的调用数',
      last_used_at: '最近一次此类调用的时间',
    },
  },
}
