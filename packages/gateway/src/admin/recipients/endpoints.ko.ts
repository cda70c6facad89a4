/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.recipients.erase': {
    source: '241c1b26',
    summary: '수취인 데이터 삭제',
    description:
      '위탁배송 주문 하나(`order_id`)의 수취인 이름, 전화번호, 주소, 비고를 삭제하거나, 한 사람(`name`과 `phone`)의 모든 위탁배송 주문과 미리보기에서 삭제합니다. 반복 요청을 위해 보관한 응답에서도 삭제합니다. 주문의 품목 행, 금액, 상태, 국가는 그대로 남습니다. 출고되었거나 취소되었거나 배송 중지된 주문만 처리하며, 그런 주문이 없으면 호출을 거부합니다. 같은 호출을 반복해도 더 바뀌는 것은 없습니다. ERP가 따로 가진 사본은 이 호출로 삭제되지 않습니다.',
    fields: {
      order_id: '위탁배송 주문의 ID. `name`과 `phone` 대신 사용합니다.',
      name: '수취인 이름. `phone`과 함께 보냅니다. 대소문자, 악센트, 공백, 문장 부호는 구분하지 않습니다.',
      phone: '수취인 전화번호. 마지막 아홉 자리 숫자를 비교합니다.',
      erased_count: '이 호출로 수취인 데이터를 삭제한 주문과 미리보기의 수',
      not_over:
        '아직 끝나지 않아 수취인 데이터가 남아 있는 이 사람의 주문, 최대 100개. 주문이 끝난 뒤 다시 호출하세요.',
      has_more: '이 사람의 주문이 더 있을 수 있는지 여부. 그렇다면 다시 호출하세요.',
    },
  },
}
