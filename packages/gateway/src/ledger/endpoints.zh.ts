/** These endpoints' texts in Chinese. `source` is the hash of the English text that each one translates. */
export const zh = {
  'balances.list': {
    source: 'e65edf58',
    summary: '列出余额',
    description:
      '返回每种货币账户的当前状况：已入账余额、可用金额、冻结金额和信用额度。带 `start_date` 和 `end_date` 时，只列出最近一次入账在该时间段内的账户。数据实时取自 ERP。带 `Accept: text/csv` 时返回 CSV。',
  },
  'transactions.list': {
    source: '9fb83a11',
    summary: '列出流水',
    description:
      '列出账户的入账记录，按 `occurred_at` 从新到旧排列；不带日期时为最近 30 天。每种货币的 `balance_after` 等于前一笔的 `balance_after` 加上 `amount`，跨页也成立；`balances` 给出本页前后的 `opening_balance` 和 `closing_balance`。读取后续各页时，请将 `next_cursor` 作为 `cursor` 传回。数据实时取自 ERP。带 `Accept: text/csv` 时返回 CSV。',
  },
  'bills.list': {
    source: '0b8ea8d8',
    summary: '列出账单',
    description:
      '列出账单，按 `issued_at` 从新到旧排列。`amount_total` 等于带有该 `bill_id` 的流水的合计；金额均为应付款。数据实时取自 ERP。带 `Accept: text/csv` 时返回 CSV。',
  },
  'refunds.list': {
    source: 'fb594c83',
    summary: '列出退款',
    description:
      '列出退款，按 `requested_at` 从新到旧排列。已完成的退款会给出金额相同的流水。数据实时取自 ERP。带 `Accept: text/csv` 时返回 CSV。',
  },
  'freight_bills.list': {
    source: '6fd5ccb9',
    summary: '列出运费账单',
    description:
      '列出各次发货的运费，按 `billed_at` 从新到旧排列，附重量和计费区域；`amount` 为应付款。每张运费账单都给出入账的流水。数据实时取自 ERP。带 `Accept: text/csv` 时返回 CSV。',
  },
}
