const fields = {
  lockout_id: '锁定的编号',
  kind: '`account`：用户名被锁定。IP 地址由每个进程各自计数，不在列表中',
  username_hint: '用户名的开头和结尾，最多显示一半',
  address: '目前只列出用户名，因此始终为 null',
  failures: '导致锁定的登录失败次数',
  last_failed_at: '最近一次登录失败的时间',
  locked_until: '锁定自动解除的时间',
}

/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.lockouts.list': {
    source: '9bf3dd6f',
    summary: '列出被锁定的用户名',
    description:
      '返回因五次密码错误而锁定的用户名，最近锁定的在前。不存在的用户名同样会被锁定。不列出被锁定的 IP 地址。',
    fields,
  },
  'admin.lockouts.delete': {
    source: '5fa5dc8d',
    summary: '解除用户名的锁定',
    description:
      '解除锁定并清除失败记录，对所有进程立即生效。返回解除前的锁定信息。被锁定的 IP 地址仍保持锁定。',
    fields,
  },
}
