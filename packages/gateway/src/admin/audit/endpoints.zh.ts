/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
const filters = {
  actor: '只返回以该名称操作的运维人员的调用',
  action: '只返回对该接口的调用，以接口标识指定',
  subject: '只返回路径以此开头的调用',
  within: '只返回对该路径及下级路径的调用',
  changes: 'true：只返回作出变更的调用',
  since: '只返回该时刻起的记录',
  until: '只返回该时刻之前的记录',
}

export const zh = {
  'admin.audit.list': {
    source: '34cf73ad',
    summary: '搜索审计日志',
    description:
      '返回对运维人员接口的每次调用，最新的在前：操作人、操作、结果，以及变更前后的状态。页面自动重复的读取每小时只记一条。每个筛选条件都会缩小范围。',
    fields: {
      ...filters,
    },
  },
  'admin.audit.export': {
    source: 'd75c4c39',
    summary: '导出审计日志',
    description:
      '返回符合筛选条件的全部记录，最早的在前：每行一个 JSON 对象，或以 `Accept: text/csv` 返回 CSV。响应以流的方式发送，没有结束标记：连接中断时，导出内容不完整。',
    fields: filters,
  },
  'admin.audit.verify': {
    source: '0af7a078',
    summary: '校验审计日志',
    description:
      '校验是否有记录被修改、删除、插入，或在末尾被截断。每次调用最多校验 50,000 条记录：请带上 `next_cursor` 重复调用，直到 `next_cursor` 为 null。日志末尾会与本网关在数据库之外记下的内容比对。',
    fields: {
      cursor: '上一部分的 `next_cursor`',
      noted: '您从日志行中取得的审计日志末尾',
      number: '日志行中的 rows',
      mac: '日志行中的 subject',
      ok: '这一部分是否没有发现问题',
      rows: '这一部分的记录数',
      first_problem: '最先发现的问题；没有问题时为 null',
      next_cursor: '下一部分的游标；已是最后一部分时为 null',
    },
  },
  'admin.audit.read': {
    source: 'b93d466f',
    summary: '读取一条审计记录',
    description: '返回对运维人员接口的一次调用，以及变更前后的状态。',
  },
}
