/** This endpoint's texts in Chinese. `source` is the hash of the English text that it translates. */
export const zh = {
  'visitors.token': {
    source: 'e4032f1a',
    summary: '获取沙盒访客令牌',
    description:
      '签发一个可读取沙盒库存和商品的令牌。该接口由页面调用，读者无需账号即可试用接口。如果 ERP 不是沙盒，则返回 `NOT_FOUND`。',
    fields: { access_token: '放在 `Authorization` 请求头中的令牌', expires_at: '令牌的失效时间' },
  },
}
