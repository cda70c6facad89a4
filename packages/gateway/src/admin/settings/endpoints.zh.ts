/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'admin.settings.list': {
    source: '51c22598',
    summary: '列出设置',
    description: '返回当前进程的设置：各项的值及来源。密钥从不显示。地址中的用户名、密码和查询参数会省略。',
    fields: {
      name: '设置的名称',
      value: '所写的值；密钥或没有值时为 null',
      source: '`environment`：环境变量或命令行；`file`：`.env` 或 `settings.env`；`default`：未设置',
      secret: '该值是否为密钥',
      set: '是否给出了值',
    },
  },
}
