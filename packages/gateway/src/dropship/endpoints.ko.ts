/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'dropship.preview': {
    source: '4dcfac17',
    summary: '위탁배송 주문 미리보기',
    description:
      '할당 가능한 수량, 부족한 수량, 도착일, 비용을 반환하고, `HOLD_TTL_SECONDS` 동안 재고를 전부 선점하거나 전혀 선점하지 않습니다. 같은 `client_order_number`와 SKU로 다시 호출하면 ID는 그대로이고 선점한 수량만 바뀝니다. 유효한 미리보기는 채널당 최대 50개입니다.',
    fields: { name: '소포에 적는 수취인 이름' },
  },
  'dropship.submit': {
    source: '387d70a7',
    summary: '위탁배송 주문 제출',
    description:
      '지정한 미리보기, 또는 주문 번호와 SKU가 같은 유효한 미리보기를 제출합니다. 미리보기가 없으면 재고를 새로 할당합니다. 중복 판정 시간 안에 주문 번호, SKU, 수취인이 모두 같은 주문은 `DUPLICATE_SUSPECTED` 오류로 거부합니다. `client_order_number`가 다르면 허용합니다. 이 시간이 지난 뒤 이미 제출한 미리보기를 지정하면 그 주문을 반환합니다.',
    fields: { name: '소포에 적는 수취인 이름' },
  },
  'dropship.list': {
    source: '1f46cc29',
    summary: '위탁배송 주문 목록',
    description:
      '최신순으로 조회합니다. `client_order_number`나 `serial_number`로 조회할 때는 기간 제한이 없습니다. 미리보기는 `include_previews=true`를 보낼 때만 포함되며, 결과 미확인 주문은 항상 포함됩니다.',
  },
  'dropship.read': {
    source: '2140d163',
    summary: '위탁배송 주문 조회',
    description: '위탁배송 주문이나 미리보기 하나를 조회합니다. 미리보기에는 `submitted_at`이 없습니다.',
  },
  'dropship.release': {
    source: '1b7e54c5',
    summary: '미리보기의 재고 해제',
    description:
      '선점한 재고를 되돌리고 미리보기를 취소합니다. 두 번 호출해도 결과는 같으며, 제출한 뒤에는 거부됩니다.',
  },
  'dropship.void': {
    source: 'c89a97fc',
    summary: '위탁배송 주문 취소',
    description:
      '창고 인계 전이면 취소하고, 인계 후이면 배송을 중지하며, 이미 출고되었으면 거부합니다. 미리보기에 호출하면 재고를 해제합니다. 다시 호출하면 같은 문서를 반환합니다.',
  },
}
