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
  compare_requested_at: '요청했지만 아직 성공하지 못한 전체 비교의 요청 시각. 없으면 null입니다.',
}

export const ko = {
  'admin.stock_copies.list': {
    source: 'd099cbc9',
    summary: '재고 사본 목록 조회',
    description:
      '게이트웨이가 보관하는 창고와 통합 창고의 재고 사본을 코드순으로 반환합니다. 버전, 경과 시간, 행 수, 체크섬, ERP와의 마지막 전체 비교를 담습니다.',
    fields,
  },
  'admin.stock_copies.compare': {
    source: '3026e1b1',
    summary: '사본을 ERP와 비교',
    description:
      '창고를 ERP와 전체 비교하도록 요청합니다. 통합 창고이면 모든 구성 창고를 비교합니다. 다음 동기화에서, 보통 몇 초 안에 비교하고 다른 행을 수정합니다. 변경 피드를 조회하는 클라이언트는 수정된 행을 받습니다.',
    fields,
  },
  'admin.stock_figures.compare': {
    source: 'da9ed2a3',
    summary: 'SKU 하나를 ERP와 비교',
    description:
      'SKU 하나의 창고별 재고를 게이트웨이가 제공하는 값과 지금 ERP가 알려 주는 값으로 나란히 반환합니다. ERP의 응답은 최대 5초 동안 기다립니다. 아무것도 고치지 않습니다. 전체 비교가 값을 바로잡습니다. 몇 초 안에 바뀐 값은 아직 반영되는 중일 수 있습니다.',
    fields: {
      sku: 'SKU. 바이트 단위로 비교합니다.',
      name: fields.name,
      warehouses: '창고마다 한 항목. 코드순이며 최대 20개입니다.',
      left_out: '조회하지 않은 나머지 창고의 수',
      version:
        '창고의 `version`: 이 프로세스 스냅샷의 버전. `gateway`의 `version`: 행이 마지막으로 바뀐 버전',
      age_seconds: '사본이 ERP 재고와 같음을 마지막으로 확인한 뒤 지난 초',
      compare_requested_at: fields.compare_requested_at,
      gateway: '클라이언트가 보는 값. 게이트웨이에 행이 없으면 null입니다.',
      updated_at: '행이 마지막으로 바뀐 시각',
      erp: 'ERP가 알려 주는 값. ERP가 그 창고에서 이 SKU를 취급하지 않거나 응답하지 않으면 null입니다.',
      erp_result: '`ok`: ERP가 응답함, `refused`: ERP가 호출을 거부함, `no_response`: 제때 응답이 없음',
      differs: '클라이언트가 보는 값이 ERP와 다른지 여부. 알 수 없으면 null입니다.',
    },
  },
}
