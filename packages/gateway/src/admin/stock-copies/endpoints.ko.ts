/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
const fields = {
  name: '창고 또는 통합 창고의 이름',
  kind: '`warehouse`: ERP의 창고. `company`: 여러 창고를 묶은 통합 창고.',
  version: '이 프로세스 스냅샷의 버전. 재고를 처음 읽기 전에는 null입니다.',
  latest_at:
    '사본이 ERP의 재고와 같다고 마지막으로 확인한 시각. 통합 창고는 가장 오래된 구성 창고를 따릅니다.',
  age_seconds: '`latest_at` 이후 지난 초',
  rows: '이 프로세스 스냅샷의 행 수. 판매 중단된 행은 제외합니다.',
  checksum: '이 프로세스 스냅샷의 체크섬. 클라이언트가 계산하는 방법과 같습니다.',
  last_compare_at: '사본 전체를 ERP의 재고와 마지막으로 비교한 시각. 통합 창고는 null입니다.',
  last_differences:
    '마지막 전체 비교에서 수정한 행 가운데 ERP의 힌트에 없던 행의 수. 0보다 크면 힌트가 누락된 것입니다. 첫 비교 전에는 null입니다.',
  compare_requested_at: '요청했지만 아직 시작하지 않은 전체 비교의 요청 시각. 없으면 null입니다.',
}

export const ko = {
  'admin.stock_copies.list': {
    source: 'c6696868',
    summary: '재고 사본 목록 조회',
    description:
      '게이트웨이가 보관하는 창고와 통합 창고의 재고 사본을 코드순으로 반환합니다. 버전, 경과 시간, 행 수, 체크섬, ERP와의 마지막 전체 비교를 담습니다.',
    fields,
  },
  'admin.stock_copies.compare': {
    source: '74eead16',
    summary: '사본을 ERP와 비교',
    description:
      '창고를 ERP와 전체 비교하도록 요청합니다. 통합 창고이면 모든 구성 창고를 비교합니다. 다음 동기화에서, 보통 몇 초 안에 비교하고 다른 행을 수정합니다. 변경 피드를 조회하는 클라이언트는 수정된 행을 받습니다.',
    fields,
  },
}
