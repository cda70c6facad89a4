/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'balances.list': {
    source: 'e65edf58',
    summary: '잔액 목록',
    description:
      '통화별 계정의 현재 상태를 ERP에서 조회합니다. 장부에 반영된 잔액, 사용할 수 있는 금액, 묶인 금액, 여신이 포함됩니다. `start_date`와 `end_date`를 지정하면 마지막 장부 반영이 그 기간에 있는 계정만 반환합니다. `Accept: text/csv`를 보내면 CSV를 반환합니다.',
  },
  'transactions.list': {
    source: '9fb83a11',
    summary: '거래 내역 목록',
    description:
      '장부에 반영된 거래 내역을 ERP에서 `occurred_at` 기준 최신순으로 조회합니다. 날짜를 지정하지 않으면 최근 30일입니다. 통화별로 `balance_after`는 직전 잔액에 이번 `amount`를 더한 값이며 페이지가 바뀌어도 이어집니다. `balances`의 `opening_balance`와 `closing_balance`는 이 페이지 앞뒤의 잔액입니다. 다음 페이지를 요청할 때는 `next_cursor`를 `cursor`로 보내세요. `Accept: text/csv`를 보내면 CSV를 반환합니다.',
  },
  'bills.list': {
    source: '0b8ea8d8',
    summary: '청구서 목록',
    description:
      '청구서를 ERP에서 `issued_at` 기준 최신순으로 조회합니다. `amount_total`은 해당 `bill_id`가 있는 거래 내역의 총액이며, 금액은 갚아야 할 금액입니다. `Accept: text/csv`를 보내면 CSV를 반환합니다.',
  },
  'refunds.list': {
    source: 'fb594c83',
    summary: '환불 목록',
    description:
      '환불을 ERP에서 `requested_at` 기준 최신순으로 조회합니다. 완료된 환불에는 같은 금액의 거래 내역이 표시됩니다. `Accept: text/csv`를 보내면 CSV를 반환합니다.',
  },
  'freight_bills.list': {
    source: '6fd5ccb9',
    summary: '운임 청구서 목록',
    description:
      '출고별 운임 청구서를 ERP에서 `billed_at` 기준 최신순으로 무게, 구역과 함께 조회합니다. `amount`는 갚아야 할 금액이며, 장부에 반영된 거래 내역이 표시됩니다. `Accept: text/csv`를 보내면 CSV를 반환합니다.',
  },
}
