/** These endpoints' texts in Korean. `source` is the hash of the English text that each one translates. */
export const ko = {
  'warehouses.list': {
    source: '74ff65af',
    summary: '창고 목록',
    description: '채널이 사용할 수 있는 실제 창고와 회사 단위의 통합 창고를 조회합니다.',
  },
  'stock.list': {
    source: 'd7b0b00b',
    summary: '창고 재고 조회',
    description:
      '창고 전체, 한 페이지, 스타일 하나(`product_code`) 또는 SKU 하나(`sku`)의 재고를 조회합니다. `page`와 `page_size`를 지정하지 않으면 모든 행을 반환합니다. 이후에는 첫 페이지의 `version`부터 변경 피드를 이어서 조회하세요.',
    priceNote: '창고 전체 60포인트, 한 페이지 5포인트, SKU나 스타일 하나 1포인트',
  },
  'stock.changes': {
    source: 'da5be24a',
    summary: '특정 버전 이후의 재고 변경',
    description:
      '커서 이후 변경된 행을 최신 상태로 한 번씩 반환합니다. 판매 중단된 SKU는 수량 0과 `removed: true`로 표시됩니다. `version`을 다음 요청의 `since`로 보내세요. 행마다 1포인트, 최소 1포인트에서 최대 60포인트가 차감되며, 페이지는 남은 포인트에 맞춰 줄어듭니다. `needs_full_sync`는 전체 조회가 필요하다는 뜻입니다. 마지막 페이지의 `row_count`와 `checksum`으로 사본을 검증할 수 있습니다. 그 페이지의 `version`이 이전에 받은 `latest`보다 작으면 잠시 후 다시 요청하세요.',
    priceNote: '행마다 1포인트, 최대 60포인트',
    fields: {
      version: '다음 요청에 `since`로 보낼 값',
      latest:
        '응답한 프로세스가 아는 최신 버전. 피드를 끝까지 조회했고 `version`이 이전에 받은 모든 `latest` 이상이면 사본이 완전합니다',
    },
  },
  'stock.checksum': {
    source: 'a2b5441e',
    summary: '창고 재고의 체크섬 조회',
    description: '버전, 행 수, 체크섬을 반환합니다. 보관 중인 사본과 비교하세요.',
  },
}
