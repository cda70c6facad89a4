const fields = {
  lockout_id: '锁定的编号',
  kind: '`account`：用户名被锁定。`address`：IP 地址被锁定。每个进程各自统计 IP 地址的失败次数，因此地址可能只在部分进程被锁定',
  username_hint: '用户名的开头和结尾，最多显示一半；IP 地址的锁定为 null',
  address: 'IPv4 地址，或 IPv6 的 /64 网段；用户名的锁定为 null',
  failures: '导致锁定的登录失败次数',
  last_failed_at: '最近一次登录失败的时间',
  locked_until: '锁定自动解除的时间',
}

/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.lockouts.list': {
    source: '82398eed',
    summary: '列出被锁定的用户名和 IP 地址',
    description:
      '返回因五次密码错误而锁定的用户名，以及一小时内登录失败 100 次而锁定的 IP 地址，最晚解除的在前。不存在的用户名同样会被锁定。',
    fields,
  },
  'admin.lockouts.delete': {
    source: 'fbd0cb49',
    summary: '解除用户名或 IP 地址的锁定',
    description:
      '解除锁定并清除失败记录。用户名在所有进程中立即解除，IP 地址在一秒内解除。返回解除前的锁定信息。',
    fields,
  },
}
