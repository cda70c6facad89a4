/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.doubts.list': {
    source: '2019f202',
    summary: '결과 미확인 쓰기 목록',
    description:
      '결과를 알 수 없는 ERP 쓰기를 오래된 순으로 조회합니다. `settled_by`는 결과를 확정하는 주체입니다. 게이트웨이가 조회해 확정하며, ERP에서 결과를 조회할 수 없으면 사람이 확정해야 합니다.',
  },
  'admin.doubts.settle': {
    source: 'eb167dc1',
    summary: '결과 미확인 쓰기의 결과 확정',
    description:
      'ERP를 직접 확인한 사람이 호출합니다. `found`는 ERP의 문서를 조회해 쓰기를 완료하고, `absent`는 ERP에서 한 번 더 조회하고, 쓰기를 되돌리고, 키를 다시 쓸 수 있게 합니다. 쓰기가 아직 도착할 수 있는 동안에는 거부합니다. 목록에서 받은 `reference`와 `sent_at`을 보내면 그 쓰기만 확정하고, 그 뒤 같은 문서에서 시작된 다른 쓰기는 확정하지 않습니다.',
  },
}
