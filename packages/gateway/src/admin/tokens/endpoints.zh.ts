/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.tokens.list': {
    source: 'a553381a',
    summary: '列出有效令牌',
    description: '列出一个渠道的有效令牌，最新的在前（不含令牌的值）。',
  },
  'admin.tokens.revoke': {
    source: '3f1f3560',
    summary: '吊销一个令牌',
    description: '终止一个令牌，一秒内在所有进程中生效。',
  },
  'admin.account_tokens.revoke': {
    source: '884d97ae',
    summary: '吊销账号的令牌',
    description: '终止一个 OMS 账号在某个渠道的全部令牌，一秒内生效。该账号可以重新登录。',
  },
  'admin.signing_keys.rotate': {
    source: '36b62233',
    summary: '轮换签名密钥',
    description:
      '以新密钥签发新令牌。用旧密钥签发的令牌在到期之前仍然有效；带 `compromised: true` 时，一秒内全部拒绝。',
  },
}
