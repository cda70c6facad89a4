/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'errors.list': {
    source: 'cf8f3378',
    summary: '列出错误码',
    description: '列出全部稳定的错误码，包括 HTTP 状态码、以调用方语言给出的说明，以及能否重试。',
  },
  'errors.read': {
    source: '82a8492c',
    summary: '查看一个错误码',
    description: '返回错误码目录中的一项。',
  },
}
