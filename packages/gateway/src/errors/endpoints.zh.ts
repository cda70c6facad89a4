const fields = { retryable: '通常能否重试；以响应中的 `retryable` 为准' }

/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'errors.list': {
    source: '79eab6f1',
    summary: '列出错误码',
    description: '列出全部稳定的错误码，包括 HTTP 状态码、以调用方语言给出的说明，以及能否重试。',
    fields,
  },
  'errors.read': {
    source: 'c5663c5a',
    summary: '查看一个错误码',
    description: '返回错误码目录中的一项。',
    fields,
  },
}
