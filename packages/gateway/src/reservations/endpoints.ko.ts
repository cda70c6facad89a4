/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'reservations.create': {
    source: '857669ce',
    summary: '재고 예약 생성',
    description:
      '`expires_at`까지 모든 품목을 선점하거나, 하나도 선점하지 않습니다. `client_order_number`와 품목이 같은 reserved 상태의 재고 예약이 있으면 그 재고 예약을 반환합니다. 유효한 재고 예약은 채널당 최대 50개입니다. 확정된 재고 예약도 초안이 재고를 선점하고 있는 동안에는 포함됩니다.',
  },
  'reservations.list': {
    source: '4d8c35e5',
    summary: '재고 예약 목록',
    description:
      '최신순으로 조회합니다. 날짜를 지정하지 않으면 최근 30일의 재고 예약과 아직 reserved 상태인 모든 재고 예약을 반환합니다.',
  },
  'reservations.read': {
    source: '03bbf783',
    summary: '재고 예약 조회',
    description: '재고 예약 하나를 재고 선점, 주문과 함께 조회합니다.',
  },
  'reservations.cancel': {
    source: 'c9d7fb0e',
    summary: '재고 예약 취소',
    description:
      '재고를 되돌립니다. 두 번 호출해도 결과는 같습니다. confirmed 상태의 재고 예약은 취소할 수 없습니다. 재고가 주문에 속하기 때문입니다.',
  },
  'reservations.confirm': {
    source: 'af4e44d4',
    summary: '재고 예약의 주문 전환',
    description:
      '도매 주문 초안을 만들고 재고 선점을 만료 시각과 함께 초안으로 넘깁니다. 초안을 제출하면 선점한 재고가 할당되고, 취소하면 해제됩니다. 다시 호출하면 같은 재고 예약을 반환합니다.',
  },
}
