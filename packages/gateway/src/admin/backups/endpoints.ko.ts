/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'admin.backups.create': {
    source: '9a8cd684',
    summary: '내장 데이터베이스 복사',
    description:
      '게이트웨이가 서비스를 계속하는 동안 내장 데이터베이스를 `DATA_DIR`의 새 파일로 복사합니다. `npm run backup`이 이 엔드포인트를 호출해 사본을 완성하고 확인한 다음 옮깁니다. 아무도 옮기지 않은 사본은 다음 사본으로 바뀝니다. PostgreSQL 데이터베이스는 거부합니다. `npm run backup`이 `pg_dump`로 읽습니다.',
    fields: {
      file: '`DATA_DIR`에 있는 사본의 파일 이름',
      bytes: '로그를 뺀 사본의 크기',
      sha256: '데이터베이스 파일에서 읽은 내용의 SHA-256(16진수)',
      logs: '사본 옆에 있는 `…-log-0` 등의 파일 수. 이 순서대로 사본에 적용해야 완성됩니다',
      taken_at: '복사를 시작한 시각',
    },
  },
  'admin.lost_documents.list': {
    source: 'cb4c1ec2',
    summary: '복원으로 빠진 문서 목록',
    description:
      '백업과 복원 사이에 생겨 ERP에는 있고 게이트웨이에는 없는 주문과 아직 유효한 재고 선점을 최신 순으로 500건까지 조회합니다. 채널이 주문했던 호출을 반복하거나 ID로 주문을 조회하면 그 주문은 목록에서 사라집니다. 남은 문서는 사람이 채널과 대조해야 합니다. ERP가 문서 변경을 알리지 않으면 아무것도 찾지 못합니다.',
    fields: {
      reference: 'ERP에 있는 문서의 참조 번호',
      number: 'ERP 자체의 번호',
      kind: '`order`(주문) 또는 아직 재고를 잡고 있는 `hold`(재고 선점)',
      order_type: '`wholesale`, `dropship` 또는 `reservation`',
      status: 'ERP에서의 상태',
      total: 'ERP가 청구하는 총액. 가격이 없는 재고 선점이면 null입니다.',
      submitted_at: 'ERP의 시계로 주문한 시각. 재고 선점이면 null입니다.',
      found_at: '게이트웨이가 문서를 찾은 시각',
    },
  },
}
