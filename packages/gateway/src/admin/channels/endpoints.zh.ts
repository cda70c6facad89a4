/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.channels.create': {
    source: '4522263d',
    summary: '创建渠道',
    description: '返回渠道及客户端密钥。密钥只在本次响应中显示。',
  },
  'admin.channels.list': {
    source: 'cd0c5b67',
    summary: '列出渠道',
    description: '列出全部渠道及各自的套餐、白名单、配额和客户端密钥（不含密钥的值）。',
  },
  'admin.channels.read': {
    source: 'd1aa7171',
    summary: '查看一个渠道',
    description: '返回一个渠道，包括套餐、白名单、配额和业务开关。',
  },
  'admin.channels.change': {
    source: 'bd6e3c4b',
    summary: '修改渠道',
    description:
      '可修改名称、套餐、白名单、客户、配额和业务开关，也可暂停渠道。修改在一秒内对现有令牌生效。渠道暂停期间，现有令牌和新的登录都会得到 `AUTH_INVALID_TOKEN`，直到恢复为止。带上 `expected_updated_at` 时，如果其他人在此之后修改过渠道，本次修改会被拒绝。',
    fields: {
      expected_updated_at: '您读取渠道时的 `updated_at`；如果现在已不同，则不做任何修改',
    },
  },
  'admin.channels.delete': {
    source: '595142a0',
    summary: '删除渠道',
    description: '吊销渠道的客户端密钥和令牌，并拒绝该渠道待处理的套餐申请。渠道编码不会再次使用。',
  },
  'admin.secrets.create': {
    source: 'f441cde7',
    summary: '签发客户端密钥',
    description: '返回新的客户端密钥，只在本次响应中显示。旧密钥在删除之前仍然有效。',
  },
  'admin.secrets.delete': {
    source: '5bb1ce25',
    summary: '删除客户端密钥',
    description: '吊销该客户端密钥，以及用该密钥签发的令牌。',
  },
}
