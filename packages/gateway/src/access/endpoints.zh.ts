/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'auth.token': {
    source: '42d07386',
    summary: '获取访问令牌',
    description:
      '渠道授权：`{client_id, client_secret}`。密码授权：`{grant_type: "password", username, password}`，使用 OMS 网站的账号。凭据只能放在请求体中，格式为 JSON 或表单。',
  },
  'auth.revoke': {
    source: '9edf0836',
    summary: '吊销令牌',
    description:
      '立即终止本次调用所用的令牌；此后该令牌返回 `AUTH_INVALID_TOKEN`。OMS 账号的令牌可用 `{"all": true}` 终止该账号在此渠道的全部令牌。仍在排队的订单不会发送。',
    fields: { all: '是否终止该 OMS 账号在此渠道的全部令牌' },
  },
  me: {
    source: 'b94e34e7',
    summary: '查看令牌身份',
    description: '返回令牌代表的账号、所属的渠道、可用的仓库、权限和业务开关。',
    fields: {
      plan: '渠道的套餐：`reader`、`trader` 或 `full`',
      kind: '账号为渠道（`channel`）或 OMS 账号（`oms_user`）；仓库为 `warehouse` 或 `company`',
    },
  },
  'plan_requests.create': {
    source: 'c0522fe9',
    summary: '申请套餐',
    description: '申请套餐 reader、trader 或 full。客户经理批准后，对现有令牌立即生效。',
  },
  'plan_requests.list': {
    source: 'f5ee48d7',
    summary: '列出套餐申请',
    description: '列出本渠道的套餐申请，最新的在前。',
  },
}
