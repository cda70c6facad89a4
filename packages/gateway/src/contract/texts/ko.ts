import { fieldsKo } from './fields/ko.ts'
import { settingsKo } from './settings/ko.ts'
import { siteKo } from './site/ko.ts'
import type { Texts } from './texts.ts'

export const ko: Texts = {
  sentences: {
    path_unknown: '{method} {path} 엔드포인트가 없습니다.',
    path_no_slash: '경로가 슬래시로 시작하지 않습니다.',
    path_fragment: 'URL에 프래그먼트(#)가 있습니다. 프래그먼트는 클라이언트에서만 사용됩니다.',
    path_encoding: '경로가 올바른 퍼센트 인코딩 UTF-8이 아닙니다.',
    path_empty_segment: '경로에 빈 구간이 있습니다.',
    path_dot_segment: '경로에 점 구간이 있습니다.',
    path_character: '경로의 한 구간에 슬래시, 백슬래시 또는 NUL이 있습니다.',
    not_whole_number: '최대 {most}자리 숫자로 쓴 정수여야 합니다',
    not_this_form: '레퍼런스에 있는 형식과 다릅니다',
    want_string: '문자열이어야 합니다',
    want_number: '숫자여야 합니다',
    want_whole: '정수여야 합니다',
    want_boolean: 'true 또는 false여야 합니다',
    want_list: '목록이어야 합니다',
    want_object: '객체여야 합니다',
    characters_least: '{least}자 이상이어야 합니다',
    characters_most: '{most}자 이하여야 합니다',
    entries_least: '항목이 {least}개 이상이어야 합니다',
    entries_most: '항목이 {most}개 이하여야 합니다',
    number_least: '{least} 이상이어야 합니다',
    number_most: '{most} 이하여야 합니다',
    one_of_these: '다음 중 하나여야 합니다: {values}',
    day_form: '달력에 있는 날짜여야 합니다(예: 2026-11-21)',
    day_too_early: '1970-01-01 이후여야 합니다',
    instant_form: 'UTC 시각이어야 합니다(예: 2026-11-21T08:30:00.000Z)',
    code_form: '줄바꿈, 제어 문자, 보이지 않는 문자가 없는 Unicode NFC 형식이어야 합니다',
    words_form: '줄바꿈이나 다른 제어 문자가 없는 Unicode NFC 형식이어야 합니다',
    amount_form: '소수점 아래가 최대 2자리인 금액이어야 합니다',
    country_form: '대문자 두 글자로 된 ISO 3166-1 국가 코드여야 합니다(예: AU)',
    key_form: '화면에 보이는 ASCII 문자 1~255자여야 합니다',
    channel_code_form: '영문자, 숫자, 점, _, -로 된 1~64자여야 하며 영문자나 숫자로 시작해야 합니다',
    method_not_allowed: '{path}에는 {method} 메서드를 사용할 수 없습니다. 사용할 수 있는 메서드: {allowed}.',
    legacy_gone: '{path} 경로는 더 이상 제공되지 않습니다. 다음 경로를 사용하세요: {replacement}.',
    legacy_unknown:
      '{path} 경로가 없습니다. API의 모든 경로는 /api/v1로 시작하며, 목록은 {replacement}에 있습니다.',
    body_not_utf8: '본문이 올바른 UTF-8이 아닙니다.',
    body_not_json: '본문이 올바른 JSON이 아닙니다.',
    body_too_deep: '본문의 중첩이 {most}단계를 넘습니다.',
    body_duplicate_key: '본문의 한 객체 안에 “{key}” 키가 두 번 있습니다.',
    body_forbidden_key: '본문에 사용할 수 없는 “{key}” 키가 있습니다.',
    body_too_large: '본문이 {most}바이트를 넘습니다.',
    body_missing: '본문이 비어 있습니다. JSON 객체를 보내세요.',
    body_not_object: '본문이 JSON 객체가 아닙니다.',
    body_type: 'Content-Type “{type}” 형식은 여기서 받지 않습니다. 다음 형식으로 보내세요: {expected}.',
    body_encoding:
      'Content-Encoding “{encoding}” 방식은 여기서 받지 않습니다. 본문을 인코딩하지 말고 보내세요.',
    body_interrupted: '본문이 다 도착하기 전에 끊겼습니다.',
    header_twice: '{name} 헤더를 두 번 이상 보냈습니다.',
    too_many_headers: '요청 헤더가 {most}개를 넘습니다.',
    url_too_long: 'URL이 {most}자를 넘습니다.',
    headers_too_large: '헤더 전체 크기가 {most}바이트를 넘습니다.',
    host_missing: '요청에 Host 헤더가 없습니다.',
    expectation: 'Expect 헤더의 “{value}” 요구를 충족할 수 없습니다.',
    broken_framing: '요청이 올바른 HTTP 형식이 아닙니다.',
    request_timeout: '요청이 {seconds}초 안에 도착하지 않았습니다.',
    query_malformed: '쿼리 문자열이 올바른 퍼센트 인코딩 UTF-8이 아닙니다.',
    parameter_unknown: '여기에는 “{param}” 매개변수가 없습니다.',
    parameter_twice: '“{param}” 매개변수를 두 번 이상 보냈습니다.',
    field_unknown: '여기에는 “{param}” 필드가 없습니다.',
    field_invalid: '{param}: {problem}',
    credentials_in_query:
      '자격 증명은 본문에 담아야 합니다. URL의 “{param}” 값은 읽지 않으며, URL은 로그에 남으므로 이 값은 유출된 것으로 간주하세요.',
    credentials_missing:
      '본문에 완전한 자격 증명이 없습니다. client_id와 client_secret 또는 username과 password를 JSON(Content-Type: application/json)이나 폼으로 보내세요.',
    grant_unknown: '알 수 없는 grant_type입니다: “{grant}”. client_credentials 또는 password를 사용하세요.',
    token_in_query:
      '쿼리 문자열의 토큰은 받지 않습니다. Authorization: Bearer <ACCESS_TOKEN> 헤더를 보내세요.',
    token_not_bearer: 'Authorization 헤더가 Bearer <ACCESS_TOKEN> 형식이 아닙니다.',
    token_doubled: '토큰을 두 개 이상 보냈습니다.',
    token_revoked: '이 토큰은 폐기되었습니다.',
    session_ended: '이 토큰에 연결된 세션을 ERP에서 종료했습니다.',
    legacy_token_ended: '이전 게이트웨이의 토큰은 {until}까지만 사용할 수 있었습니다.',
    channel_gone: '이 토큰의 채널이 더 이상 존재하지 않습니다.',
    capability_missing: '이 작업에는 {capability} 권한이 필요하지만, {plan} 플랜에는 이 권한이 없습니다.',
    capability_account:
      '이 작업에는 {capability} 권한이 필요하지만, OMS 계정 {account}에는 이 권한이 없습니다.',
    switched_off: '이 채널에서는 {what} 기능이 꺼져 있습니다.',
    warehouse_unknown: '“{warehouse}” 창고가 없습니다. 등록된 창고: {known}.',
    warehouse_denied: '{warehouse} 창고는 이 채널의 허용 목록에 없습니다. 허용된 창고: {allowed}.',
    warehouse_filling: '{warehouse} 창고의 재고를 ERP에서 처음으로 읽어 오는 중입니다.',
    warehouses_filling: '창고를 ERP에서 처음으로 읽어 오는 중입니다.',
    products_filling: '상품을 ERP에서 처음으로 읽어 오는 중입니다.',
    points_used:
      '이 호출에는 {cost}포인트가 필요하지만, 이번 1분의 {limit}포인트 중 {remaining}포인트만 남았습니다.',
    tokens_too_many: '1분 동안 요청한 토큰이 {most}개를 넘습니다.',
    locked_until:
      '비밀번호가 여러 번 틀렸습니다. 이 사용자 이름의 로그인은 앞으로 {seconds}초 동안 잠깁니다.',
    locked_address: '이 IP 주소에서 로그인에 너무 많이 실패했습니다. {seconds}초 동안 기다리세요.',
    sign_in_unavailable: '지금은 ERP에서 비밀번호를 확인할 수 없습니다.',
    sku_unknown: '“{sku}” SKU가 없습니다.',
    style_unknown: '“{style}” 스타일이 없습니다.',
    thing_unknown: '{what} “{id}”은(는) 없습니다.',
    error_unknown: '“{code}” 오류 코드가 없습니다.',
    key_invalid: 'Idempotency-Key는 화면에 보이는 ASCII 문자 1~255자여야 하며 한 번만 보내야 합니다.',
    range_reversed: 'start_date({start})가 end_date({end})보다 늦습니다.',
    range_too_long: '{start}부터 {end}까지의 기간이 {most}일을 넘습니다.',
    currency_unknown: 'ERP에 이 고객의 {currency} 계정이 없습니다.',
    currency_form: 'ISO 4217 통화 코드여야 합니다(예: AUD)',
    plan_pending: '{plan} 플랜 신청이 이미 승인을 기다리고 있습니다.',
    plan_present: '이 채널은 이미 {plan} 플랜을 쓰고 있습니다.',
    plan_decided: '이 신청은 이미 처리되었습니다: {status}.',
    channel_code_taken: '“{channel}” 채널이 이미 있거나, 예전에 있었습니다.',
    customer_taken: '{customer} 고객은 이미 {channel} 채널에 속해 있습니다.',
    secrets_too_many: '채널 하나에 클라이언트 시크릿은 최대 {most}개입니다. 먼저 하나를 삭제하세요.',
    erp_rejected: 'ERP가 이 작업을 받아들이지 않았습니다: {reason}',
    erp_unreachable: 'ERP에 연결할 수 없습니다. ERP로 아무것도 보내지 않았습니다.',
    outcome_unknown:
      'ERP에 요청을 보냈지만 응답을 받지 못해, 작업이 수행되었는지 아직 알 수 없습니다. 반드시 같은 Idempotency-Key로 다시 시도하세요.',
    outcome_unknown_keyless:
      'ERP에 요청을 보냈지만 응답을 받지 못해, 작업이 수행되었는지 아직 알 수 없습니다.',
    document_in_doubt:
      '{id} 문서에 대한 이전 쓰기의 결과가 아직 확인되지 않아 게이트웨이에서 확인하고 있습니다. 그 쓰기에 사용한 키로 다시 시도하세요.',
    no_preview_any_more: '{id}은(는) 이미 제출되어 더 이상 재고를 선점하지 않습니다. 대신 주문을 취소하세요.',
    not_in_state: '{id}의 현재 상태는 {status}입니다. 이 작업에 필요한 상태: {needed}.',
    hold_of_order: '선점 {id}은(는) 주문 {order}에 속합니다. 그 주문을 제출하거나 취소할 때 함께 끝납니다.',
    not_at_erp: 'ERP에 {id}에 해당하는 문서 {reference}이(가) 없습니다.',
    not_done_at_erp:
      'ERP에서 {id}의 상태는 {status}이므로 {kind}이(가) 반영되었다고 볼 수 없습니다. absent로 처리하세요.',
    sandbox_only: '샌드박스 제어는 내장 ERP 앞에서만 사용할 수 있습니다.',
    key_in_doubt: '이 Idempotency-Key로 보낸 이전 요청의 결과를 ERP에서 조회하는 중입니다.',
    field_needed: '여기에 필요합니다',
    sku_twice: '앞 품목에 이미 있습니다. 수량을 합치세요',
    hint_insufficient_stock:
      'error.shortages[].quantity_available 이하로 주문하거나, 도매 주문이라면 allow_partial을 보내세요. 입고 예정은 미리보기가 알려 줍니다. 아무것도 생성되지 않았습니다.',
    hint_insufficient_balance: '충전하거나 다른 payment_method를 선택하세요. 아무것도 생성되지 않았습니다.',
    hint_already_shipped:
      '이미 창고를 떠나 취소할 수 없습니다. 반품을 진행하세요. 아무것도 바뀌지 않았습니다.',
    hint_already_cancelled: '이미 취소되어 되돌릴 수 없습니다. 새 문서를 만드세요.',
    hint_hold_expired:
      '재고가 더 이상 선점되어 있지 않습니다. 다시 미리보기를 하거나 dropship_order_id 없이 제출하세요. 아무것도 생성되지 않았습니다.',
    hint_reservation_over: '새 예약을 만들거나 예약 없이 주문하세요. 아무것도 생성되지 않았습니다.',
    hint_price_changed: '다시 미리보기를 하고 새 합계를 확인한 뒤 제출하세요. 아무것도 생성되지 않았습니다.',
    hint_invalid_state: '문서를 조회하세요. 현재 상태에서는 할 수 없습니다. 아무것도 바뀌지 않았습니다.',
    hint_upstream_unknown:
      'ERP가 처리했는지 알 수 없습니다. Retry-After 뒤에 같은(SAME) Idempotency-Key로 다시 시도하세요. GET /api/v1/idempotency-keys에서 진행 상황을 볼 수 있습니다.',
    hint_upstream_unknown_keyless:
      'ERP가 처리했는지 알 수 없고, Idempotency-Key도 보내지 않았습니다. 먼저 ID나 client_order_number로 문서를 조회해 in_doubt가 끝날 때까지 확인하고, 없는 것만 키와 함께 다시 보내세요.',
    hint_too_many_holds:
      '유효한 것을 제출하거나 해제하거나, 만료될 때까지 기다리세요. 아무것도 생성되지 않았습니다.',
    hint_sku_blocked:
      '이 SKU를 빼세요. 계정이 주문할 수 있는 것은 GET /api/v1/products의 sellable이 알려 줍니다. 아무것도 생성되지 않았습니다.',
    hint_sku_unknown: 'SKU나 스타일 코드를 확인하세요. 대소문자를 포함해 바이트 단위로 비교합니다.',
    hint_error_unknown: 'GET /api/v1/errors에서 모든 오류 코드를 볼 수 있습니다.',
    hint_sandbox_only: '내장 ERP를 사용하려면 UPSTREAM_URL 없이 게이트웨이를 시작하세요.',
    hint_endpoints_too_many:
      'DELETE /api/v1/webhook-endpoints/<endpoint_id>로 {most}개 중 하나를 삭제하거나, PATCH로 변경하세요. 아무것도 생성되지 않았습니다.',
    hint_endpoint_deleted:
      '이 이벤트는 GET /api/v1/events/<event_id>로 읽고, 앞으로의 이벤트를 받으려면 웹훅 엔드포인트를 등록하세요. 아무것도 보내지 않았습니다.',
    sku_blocked: '{sku} SKU는 이 계정이 주문할 수 있는 판매 가능 목록에 없습니다.',
    shipping_not_served: '{method} 배송 방법은 다음 창고에서 사용할 수 없습니다: {warehouses}.',
    cart_empty: '{id} 장바구니가 비어 있습니다.',
    preview_not_live: '{id} 미리보기가 이미 끝났거나, 주문 번호 또는 SKU가 다릅니다.',
    differs_from_preview: '{param} 값이 {id} 미리보기와 다릅니다. 미리보기와 같은 내용으로 제출해야 합니다.',
    hold_over: '{id} 미리보기의 재고 선점이 끝났습니다. 다시 미리보기를 하세요.',
    reservation_over:
      '예약 {id}은(는) {until}에 만료되어 재고가 더 이상 선점되어 있지 않습니다. ERP에는 요청하지 않았습니다.',
    too_many_live: '동시에 유효할 수 있는 것은 최대 {most}개입니다. 먼저 하나를 제출하거나 해제하세요.',
    number_taken: '주문 번호 {number}: 수취인이 다른 {sku} 주문에 이미 쓰인 번호입니다.',
    duplicate: '조금 전에 주문 번호 {number}, 같은 수취인과 SKU로 주문이 제출되었습니다: {id}.',
    overloaded: '게이트웨이에 과부하가 걸려 이 요청을 시작하지 않았습니다.',
    url_form:
      '호출할 수 있는 URL이 아닙니다. https://로 시작하고, 보이는 ASCII 문자만 쓰며, {most}자를 넘지 않아야 합니다.',
    url_scheme: 'https만 호출합니다.',
    url_credentials: '웹훅 URL에는 사용자 이름이나 비밀번호를 넣지 않습니다. 보낸 쪽은 서명이 증명합니다.',
    url_fragment: '프래그먼트(#)는 수신자에게 전달되지 않습니다. 빼고 보내세요.',
    url_port: '443과 8443 포트만 호출합니다.',
    url_not_public: '공인 주소만 호출하며, 이 주소는 공인 주소가 아닙니다.',
    url_own: '게이트웨이는 자신이 놓인 호스트를 호출하지 않습니다.',
    inbox_name: '샌드박스 수신함의 이름은 1~64자이며, 영문자 A~Z와 a~z, 숫자, _, -만 쓸 수 있습니다.',
    endpoints_too_many: '채널의 웹훅 엔드포인트는 최대 {most}개입니다. 먼저 하나를 삭제하세요.',
    endpoint_deleted: '웹훅 엔드포인트 {id}은(는) 삭제되어 더 이상 아무것도 보내지 않습니다.',
    cursor_gone:
      '이벤트 "{id}"은(는) 없거나 더 이상 보관되지 않습니다. since 없이 처음부터 읽고, 아는 이벤트는 event_id로 건너뛰세요.',
    not_ready:
      '게이트웨이가 아직 준비되지 않았습니다. 저장소가 응답하지 않거나, 재고를 처음으로 읽어 오는 중입니다.',
    origin_foreign: '{origin}의 페이지는 이 엔드포인트를 호출할 수 없습니다.',
    one_of: '다음 중 하나를 전달하세요: {fields}.',
    action_renamed: '{name} 도구의 이름이 바뀌었습니다.',
    hint_action_renamed: '대신 {now} 도구를 호출하세요. 인수는 도구 목록에 있습니다.',
    endpoint_out_of_reach:
      '여기서는 {method} {path}을(를) 호출할 수 없습니다. /api/v1 아래의 일반 경로만 호출할 수 있으며, 자격 증명이 모델의 컨텍스트에 들어가서는 안 되므로 토큰 엔드포인트는 제외됩니다.',
    answer_too_large:
      '응답이 {size}바이트입니다. 최대 {most}바이트까지 전달됩니다. 페이지로 나누어 요청하세요(page_size).',
    quote_invalid: '이 quote_id는 이 계정과 이 작업을 위해 발급된 것이 아니거나, 견적 내용이 변경되었습니다.',
    quote_expired: '이 견적은 만료되었습니다.',
    quote_used:
      '이 견적은 더 이상 쓸 수 없습니다. 견적 대상이 해제되었거나, 취소되었거나, 다른 내용으로 주문되었습니다.',
    total_differs: 'confirm_total {confirmed}은(는) 견적 총액 {total} {currency}과(와) 다릅니다.',
    hint_switched_off:
      '운영자가 이 채널에서 이 기능을 껐으며, 플랜을 바꿔도 달라지지 않습니다. 운영자에게 문의하세요. 생성된 것은 없습니다.',
    hint_quote_again: '새 견적을 만들고 사용자에게 새 총액을 확인받은 다음 주문하세요. 생성된 것은 없습니다.',
    hint_quote_used: '해당 문서를 확인하거나 새 견적을 만드세요. 생성된 것은 없습니다.',
    hint_call_again:
      '이 작업이 완료되었는지 아직 알 수 없습니다. retry_after 이후에 같은 도구를 같은 인수로 다시 호출하세요. 결과를 확인하며, 두 번 실행되지 않습니다.',
    reader_gone: '요청자가 떠났으므로 더 이상 조회하지 않았습니다.',
    call_running: '같은 호출이 아직 진행 중이거나, ERP에서 그 결과를 조회하고 있습니다.',
    hint_call_later: 'retry_after 이후에 같은 도구를 다시 호출하세요.',
    hint_destination_not_served:
      '이 배송 방법으로는 해당 국가에 배송되지 않습니다. 다른 배송 방법이나 다른 주소를 선택하세요.',
  },
  errors: {
    AUTH_MISSING_TOKEN: {
      title: '액세스 토큰 없음',
      message: '요청에 액세스 토큰이 없습니다.',
      hint: 'Authorization: Bearer <ACCESS_TOKEN> 헤더를 보내세요. 토큰은 POST /api/v1/auth/token에서 발급받습니다.',
      when: '요청에 Bearer 토큰을 담은 Authorization 헤더가 없습니다. 쿼리 문자열의 토큰은 읽지 않습니다.',
    },
    AUTH_INVALID_TOKEN: {
      title: '액세스 토큰 거부됨',
      message: '액세스 토큰의 형식이나 서명이 잘못되었거나, 폐기된 토큰입니다.',
      hint: 'POST /api/v1/auth/token에서 새 토큰을 발급받으세요.',
      when: '이 게이트웨이가 발급하지 않은 토큰이거나, 전송 중에 변경되었거나, 폐기되었거나, 사용 기한이 지난 이전 게이트웨이의 토큰입니다.',
    },
    AUTH_EXPIRED: {
      title: '액세스 토큰 만료',
      message: '액세스 토큰이 만료되었습니다.',
      hint: 'POST /api/v1/auth/token에서 새 토큰을 발급받으세요. 다음부터는 만료되기 조금 전에 교체하세요.',
      when: '한때 유효했던 토큰이지만, 유효 기간이나 연결된 ERP 세션이 끝났습니다.',
    },
    SCOPE_DENIED: {
      title: '권한 없음',
      message: '채널의 플랜에 이 작업이 포함되어 있지 않습니다.',
      hint: 'POST /api/v1/plan-requests로 error.required_plan에 표시된 플랜을 신청하세요.',
      when: '엔드포인트에 필요한 권한이 채널의 플랜이나 OMS 계정에 없거나, 채널의 해당 업무 스위치가 꺼져 있습니다.',
    },
    WAREHOUSE_DENIED: {
      title: '허용되지 않은 창고',
      message: '이 창고는 채널의 허용 목록에 없습니다.',
      hint: 'GET /api/v1/warehouses에 나오는 창고를 사용하거나, 이 창고를 허용 목록에 추가하거나 목록을 비우도록 계정 담당자에게 요청하세요.',
      when: '채널에 창고 허용 목록이 있고, 요청한 창고가 그 목록에 없습니다.',
    },
    AUTHZ_UNAVAILABLE: {
      title: '권한 확인 불가',
      message: '지금은 권한을 확인할 수 없습니다.',
      hint: 'Retry-After에 표시된 시간이 지난 뒤 다시 시도하세요. 계속 실패하면 요청 ID와 함께 계정 담당자에게 문의하세요.',
      when: '권한 저장소나 ERP의 로그인 서비스가 응답하지 않습니다. 게이트웨이는 확인하지 않은 호출을 절대 통과시키지 않습니다.',
    },
    VALIDATION_FAILED: {
      title: '잘못된 매개변수',
      message: '매개변수가 올바르지 않습니다.',
      hint: 'error.param에 표시된 필드를 고치세요. 아무 작업도 수행되지 않았습니다.',
      when: '경로, 쿼리, 본문의 필드가 형식이 맞지 않거나, 범위를 벗어났거나, 빠졌거나, 알 수 없는 필드입니다.',
    },
    NOT_FOUND: {
      title: '찾을 수 없음',
      message: '요청한 항목이 존재하지 않습니다.',
      hint: 'ID를 게이트웨이가 알려 준 그대로, 대소문자까지 같게 보내세요. 무엇이 있는지는 목록에 나옵니다.',
      when: '스타일 코드, SKU 또는 문서 ID가 존재하지 않습니다.',
    },
    OWNERSHIP_DENIED: {
      title: '다른 채널의 문서',
      message: '이 문서는 다른 채널의 것입니다.',
      hint: '자신의 채널에 속한 문서를 사용하세요. 목록에서 모두 확인할 수 있습니다.',
      when: '문서는 존재하지만 다른 채널에서 만들었습니다.',
    },
    UPSTREAM_ERROR: {
      title: 'ERP 장애',
      message: 'ERP가 정상적으로 응답하지 못했습니다.',
      hint: 'Retry-After에 표시된 시간이 지난 뒤 다시 시도하세요. 쓰기 요청은 반드시 같은 Idempotency-Key로 다시 시도하세요.',
      when: 'ERP가 오류로 응답했거나 ERP에 연결할 수 없습니다. 쓰기 요청이 반영되었는지는 같은 키로 다시 시도해야 알 수 있습니다.',
    },
    UPSTREAM_TIMEOUT: {
      title: 'ERP 응답 지연',
      message: 'ERP가 제시간에 응답하지 않았습니다.',
      hint: 'Retry-After에 표시된 시간이 지난 뒤 다시 시도하세요. 쓰기 요청은 반드시 같은 Idempotency-Key로 다시 시도하세요.',
      when: 'ERP가 느리거나 ERP에 연결할 수 없습니다. 쓰기 요청이 반영되었는지는 같은 키로 다시 시도해야 알 수 있습니다.',
    },
    INTERNAL: {
      title: '게이트웨이 장애',
      message: '게이트웨이에서 장애가 발생했습니다.',
      hint: '요청 ID와 함께 고객 지원에 문의하세요.',
      when: '게이트웨이 내부에서 일어나지 않아야 할 일이 일어났거나, 게이트웨이에 과부하가 걸렸습니다(503).',
    },
    ADMIN_UNAUTHORIZED: {
      title: '관리자 토큰 오류',
      message: 'x-admin-token 헤더가 없거나 값이 틀립니다.',
      hint: '서버 설정 ADMIN_TOKEN의 값을 x-admin-token 헤더로 보내세요.',
      when: '/admin/api로 보낸 요청에 관리자 토큰이 없거나, 토큰이 서버의 설정과 다릅니다.',
    },
    ADMIN_DISABLED: {
      title: '관리자 콘솔 비활성화됨',
      message: '이 서버에서는 관리자 콘솔을 사용할 수 없습니다.',
      hint: '서버에 ADMIN_TOKEN을 설정하고 다시 시작하세요.',
      when: '서버 설정 ADMIN_TOKEN이 설정되어 있지 않습니다.',
    },
    IDEMPOTENCY_IN_PROGRESS: {
      title: '같은 키의 요청 처리 중',
      message: '이 Idempotency-Key를 쓴 요청이 아직 처리되고 있습니다.',
      hint: 'Retry-After에 표시된 시간이 지난 뒤 반드시 같은 키로 다시 시도하세요.',
      when: '이 키를 쓴 이전 요청이 끝나지 않았거나, ERP에서 그 결과를 아직 확인하고 있습니다.',
    },
    IDEMPOTENCY_MISMATCH: {
      title: '다른 요청에 쓴 키',
      message: '이 Idempotency-Key는 이전에 다른 내용의 요청에 쓰였습니다.',
      hint: '업무 작업마다 새 키를 사용하고, 같은 키는 그 작업을 다시 시도할 때만 사용하세요.',
      when: '본문이나 매개변수가 다른 요청에 쓰인 키입니다.',
    },
    IDEMPOTENCY_INVALID_KEY: {
      title: '잘못된 Idempotency-Key',
      message: '이 Idempotency-Key는 사용할 수 없습니다.',
      hint: 'UUID처럼 화면에 보이는 ASCII 문자 1~255자를 사용하고, 헤더는 한 번만 보내세요.',
      when: '키가 비어 있거나, 255자를 넘거나, 화면에 보이는 ASCII 문자가 아닌 문자를 포함하거나, 두 번 전송되었습니다.',
    },
    RATE_LIMITED: {
      title: '포인트 소진',
      message: '이번 1분의 포인트를 모두 썼습니다.',
      hint: 'Retry-After에 표시된 초만큼 기다리세요. 변경 피드는 전체 조회보다 포인트가 적게 듭니다. 할당량을 늘리려면 계정 담당자에게 문의하세요.',
      when: '호출에 필요한 포인트가 채널 할당량의 남은 포인트보다 많습니다. 거부된 호출에는 포인트가 들지 않습니다.',
    },
    BAD_REQUEST: {
      title: '잘못된 요청',
      message: '요청 형식이 잘못되었습니다.',
      hint: '메서드, 경로, 헤더, 본문을 레퍼런스 문서와 비교하세요.',
      when: '메서드나 경로가 틀렸거나, 본문을 읽을 수 없거나, HTTP 형식이 깨졌습니다.',
    },
    READ_ONLY_MODE: {
      title: '읽기 전용 환경',
      message: '이 환경에서는 ERP에 대한 쓰기를 거부합니다.',
      hint: '쓰기 요청은 운영 환경으로 보내세요. 읽기는 여기서도 정상적으로 동작합니다.',
      when: '서버가 WRITES_ENABLED=0 설정으로 실행되고 있습니다.',
    },
    ENDPOINT_GONE: {
      title: '종료된 이전 경로',
      message: '이 이전 경로는 더 이상 제공되지 않습니다.',
      hint: 'error.replacement에 표시된 경로를 사용하세요. 모든 엔드포인트는 /api/v1 아래에 있습니다.',
      when: '이전 게이트웨이의 경로(/Api/*)입니다.',
    },
    WAREHOUSE_UNKNOWN: {
      title: '알 수 없는 창고',
      message: '그런 창고는 없습니다.',
      hint: 'GET /api/v1/warehouses에 나오는 코드를 사용하세요. 코드는 대소문자를 구분하며, 예전 별칭은 더 이상 없습니다.',
      when: '코드가 AU, AUSYD2, AUSYD1, CN, CHNZJ1 중 하나가 아닙니다.',
    },
    UPSTREAM_REJECTED: {
      title: 'ERP 거부',
      message: 'ERP가 요청을 받아들이지 않았습니다.',
      hint: '이유는 error.message와 error.reason에 있습니다. 요청을 고쳐서 다시 보내세요. 아무것도 생성되지 않았습니다.',
      when: '재고가 부족하거나, 알 수 없는 ID이거나, ERP가 받지 않는 필드가 있거나, 문서의 상태에서 할 수 없는 작업입니다. 마지막 경우에는 ERP에 묻지 않을 수도 있습니다.',
    },
    AUTH_BAD_CREDENTIALS: {
      title: '잘못된 자격 증명',
      message: '자격 증명이 올바르지 않습니다.',
      hint: 'client_id와 client_secret 또는 username과 password를 확인하세요. 클라이언트 시크릿을 잃어버렸다면 관리자에게 재발급을 요청하세요.',
      when: '클라이언트 ID나 시크릿, 또는 OMS 사용자 이름이나 비밀번호가 틀렸거나, 계정이 어느 채널에도 속하지 않습니다.',
    },
    AUTH_LOCKED: {
      title: '로그인 잠김',
      message: '비밀번호가 여러 번 틀려 로그인이 잠겼습니다.',
      hint: 'Retry-After에 표시된 초만큼 기다리세요. 이전에 발급된 토큰은 계속 사용할 수 있습니다.',
      when: '15분 안에 비밀번호가 5번 틀리면 OMS 계정이 15분 동안 잠깁니다. 한 시간에 100번 실패하면 해당 IP 주소가 잠깁니다.',
    },
    DUPLICATE_SUSPECTED: {
      title: '중복 의심',
      message: '조금 전에 같은 수취인과 SKU로 주문했습니다.',
      hint: '의도한 주문이라면 다른 client_order_number를 보내거나, error.window_ends_at 이후에 다시 시도하세요.',
      when: '조금 전에 client_order_number, SKU, 수취인이 같은 위탁배송 주문이 제출되었습니다.',
    },
    OMS_LOGIN_REQUIRED: {
      title: 'OMS 로그인 필요',
      message: '이 엔드포인트에는 OMS 계정의 토큰이 필요합니다.',
      hint: 'grant_type=password로 토큰을 발급받으세요. 할당 규칙은 OMS 계정을 따릅니다.',
      when: '채널 인증으로 발급받은 토큰으로 주문을 만들려고 했습니다.',
    },
    SHIPPING_REQUIRED: {
      title: '배송 정보 없음',
      message: '도매 주문에 배송 방법이 없거나, 배송지로 보낼 주문인데 주소가 없습니다.',
      hint: 'shipping.shipping_method_id(GET /api/v1/shipping-methods)를 보내고, 배송지로 보낼 주문이라면 shipping.address_id(GET /api/v1/addresses)도 함께 보내세요. 또는 OMS 웹사이트의 사용자(User) > 환경설정(Preferences)에서 기본값을 지정하세요.',
      when: '배송 정보 없이 도매 주문을 미리 보거나 제출했습니다.',
    },
  },
  endpoints: {
    'auth.token': {
      summary: '액세스 토큰 발급',
      description:
        '채널 인증: {client_id, client_secret}. 비밀번호 인증: OMS 웹사이트 계정의 {grant_type: "password", username, password}. 자격 증명은 JSON 또는 폼 형식의 본문에만 담습니다.',
    },
    me: {
      summary: '토큰 정보 조회',
      description: '토큰의 계정, 채널, 사용할 수 있는 창고, 권한, 업무 스위치를 조회합니다.',
    },
    'plan_requests.create': {
      summary: '플랜 신청',
      description:
        'reader, trader, full 플랜 중 하나를 신청합니다. 계정 담당자가 승인하면 사용 중인 토큰에 바로 적용됩니다.',
    },
    'plan_requests.list': {
      summary: '플랜 신청 목록',
      description: '이 채널의 신청을 최신순으로 조회합니다.',
    },
    'orders.create': {
      summary: '도매 주문 초안 생성',
      description:
        '게이트웨이가 직접 보관하는 초안을 만듭니다. 초안은 재고를 선점하지 않으며 가격은 미리보기에서 계산합니다. 배송 정보는 나중에 넣어도 되지만, 미리보기와 제출에는 반드시 필요합니다. 계정이 주문할 수 없는 SKU는 바로 거부합니다.',
    },
    'orders.list': {
      summary: '도매 주문 목록',
      description:
        '최신순으로 조회합니다. 게이트웨이의 저장소에서 읽으므로 ERP를 사용할 수 없을 때도 조회할 수 있으며, 데이터가 얼마나 오래되었는지는 X-Data-Age에 표시됩니다. 날짜가 없으면 최근 30일의 주문과 모든 초안을 반환합니다. client_order_number로 조회할 때는 기간 제한이 없습니다.',
    },
    'orders.read': {
      summary: '도매 주문 조회',
      description:
        '주문 하나를 품목, 비용, 상태와 함께 조회합니다. in_doubt는 이 주문에 대한 쓰기의 결과가 아직 확인되지 않아 확인하는 중이라는 뜻입니다.',
    },
    'orders.change': {
      summary: '도매 주문 초안 변경',
      description: '보낸 필드만 바꿉니다. lines를 보내면 모든 품목이 바뀝니다. 초안만 변경할 수 있습니다.',
    },
    'orders.preview': {
      summary: '도매 주문 미리보기',
      description:
        '초안에 본문의 내용을 덮어썼을 때 할당될 수량, 도착 시기, 비용을 보여 줍니다. 아무것도 변경하거나 선점하지 않습니다. 재고 부족은 오류가 아니라 정상적인 응답입니다. price_expires_at 전에 같은 내용을 제출하면 이 총액으로 청구되거나 price_changed 사유로 거부됩니다.',
    },
    'orders.submit': {
      summary: '도매 주문 제출',
      description:
        '재고 할당과 ERP의 주문 생성을 한 번에 처리합니다. 본문의 필드는 초안의 필드를 대체합니다. 재고가 부족하면 재고 부족 내역과 함께 거부하며, allow_partial을 지정하면 품목의 수량을 줄여 처리합니다. confirmed 상태의 주문을 다시 제출하면 같은 주문을 반환합니다. 결과를 알 수 없을 때는 반드시 같은 Idempotency-Key로 다시 시도하세요. 주문을 조회해 확인할 뿐, 두 번 보내지 않습니다.',
    },
    'orders.void': {
      summary: '도매 주문 취소',
      description:
        '초안이나, 아직 아무것도 출고되지 않은 confirmed 상태의 주문을 취소하고 재고를 되돌립니다. 다시 호출하면 같은 문서를 반환합니다.',
    },
    'dropship.preview': {
      summary: '위탁배송 주문 미리보기',
      description:
        '할당할 수 있는 수량, 부족한 수량, 도착 시기, 비용을 알려 주고, HOLD_TTL_SECONDS 동안 재고를 선점합니다. 전부 선점하거나 전혀 선점하지 않습니다. 같은 client_order_number와 SKU로 다시 호출하면 ID는 그대로 두고 선점을 새 수량으로 바꿉니다. 유효한 미리보기는 채널당 최대 50개입니다.',
    },
    'dropship.submit': {
      summary: '위탁배송 주문 제출',
      description:
        '지정한 미리보기, 또는 주문 번호와 SKU가 같은 유효한 미리보기를 제출하고, 둘 다 없으면 새로 할당합니다. 중복 판정 시간 안에 주문 번호, SKU, 수취인이 모두 같으면 DUPLICATE_SUSPECTED 오류로 거부합니다. client_order_number가 다르면 통과합니다.',
    },
    'dropship.list': {
      summary: '위탁배송 주문 목록',
      description:
        '최신순으로 조회합니다. client_order_number와 serial_number로 조회할 때는 기간 제한이 없습니다. 미리보기는 include_previews=true일 때만 포함되며, 결과가 확인되지 않은 주문은 항상 표시됩니다.',
    },
    'dropship.read': {
      summary: '위탁배송 주문 조회',
      description: '위탁배송 주문이나 미리보기 하나를 조회합니다. 미리보기에는 submitted_at이 없습니다.',
    },
    'dropship.release': {
      summary: '미리보기의 재고 해제',
      description:
        '선점한 재고를 되돌리고 미리보기를 취소합니다. 두 번 호출해도 결과는 같으며, 제출한 뒤에는 거부됩니다.',
    },
    'dropship.void': {
      summary: '위탁배송 주문 취소',
      description:
        '창고 인계 전이면 취소하고, 인계 뒤에는 회수하며, 이미 출고되었으면 거부합니다. 미리보기에 호출하면 재고 해제와 같습니다. 다시 호출하면 같은 문서를 반환합니다.',
    },
    'reservations.create': {
      summary: '재고 예약',
      description:
        'expires_at까지 모든 품목을 선점하거나, 하나도 선점하지 않습니다. client_order_number와 품목이 같은 reserved 상태의 예약이 있으면 그 예약을 반환합니다. 유효한 예약은 채널당 최대 50개입니다.',
    },
    'reservations.list': {
      summary: '예약 목록',
      description:
        '최신순으로 조회합니다. 날짜가 없으면 최근 30일의 예약과 아직 reserved 상태인 모든 예약을 반환합니다.',
    },
    'reservations.read': {
      summary: '예약 조회',
      description: '예약 하나를 선점, 주문과 함께 조회합니다.',
    },
    'reservations.cancel': {
      summary: '예약 취소',
      description:
        '재고를 되돌립니다. 두 번 호출해도 결과는 같습니다. confirmed 상태의 예약은 해당 주문으로 이어집니다.',
    },
    'reservations.confirm': {
      summary: '예약을 주문으로 전환',
      description:
        '도매 주문 초안을 만들고 선점을 만료 시각과 함께 초안으로 넘깁니다. 초안을 제출하면 선점이 소진되고, 취소하면 해제됩니다. 다시 호출하면 같은 예약을 반환합니다.',
    },
    'holds.list': {
      summary: '선점 목록',
      description: '미리보기, 예약, 예약에서 만든 초안이 채널을 위해 선점한 것을 모두 조회합니다.',
    },
    'holds.read': {
      summary: '선점 조회',
      description:
        '선점 하나를 조회합니다. 무엇을 어디에서, 어느 문서를 위해, 언제까지 선점하는지 보여 줍니다.',
    },
    'holds.delete': {
      summary: '선점 해제',
      description:
        '해당 미리보기의 재고를 해제하거나 해당 예약을 취소하는 것과 같으며, 그 쓰기에 필요한 권한이 있어야 합니다. 주문의 선점은 주문과 함께 정리됩니다.',
    },
    'carts.create': {
      summary: '장바구니 생성',
      description:
        '나중에 주문할 상품의 목록입니다. 가격과 주문 가능 수량을 보여 주며 재고를 선점하지 않습니다.',
    },
    'carts.list': {
      summary: '장바구니 목록',
      description:
        '최신순으로 조회합니다. 날짜가 없으면 최근 30일의 장바구니와 열려 있는 모든 장바구니를 반환합니다.',
    },
    'carts.read': {
      summary: '장바구니 조회',
      description: '장바구니 하나를 현재 시점의 가격, 주문 가능 수량과 함께 조회합니다.',
    },
    'carts.change': {
      summary: '장바구니 변경',
      description: '보낸 필드만 바꿉니다. items를 보내면 모든 상품이 바뀝니다.',
    },
    'carts.items': {
      summary: '장바구니 상품 교체',
      description: '열려 있는 장바구니의 상품을 모두 교체합니다.',
    },
    'carts.checkout': {
      summary: '장바구니 주문 전환',
      description:
        '장바구니로 도매 주문 초안을 만들고 장바구니를 닫습니다. 다시 호출하면 같은 장바구니를 같은 order_id와 함께 반환합니다.',
    },
    'carts.delete': {
      summary: '장바구니 버리기',
      description: '열려 있는 장바구니를 취소합니다. 두 번 호출해도 결과는 같습니다.',
    },
    'balances.list': {
      summary: '잔액 목록',
      description:
        '통화별 계정의 현재 상태(기장된 금액, 사용할 수 있는 금액, 묶인 금액, 신용 한도)를 조회합니다. ERP에 직접 묻습니다. start_date와 end_date를 주면 마지막 기장이 그 기간에 있는 계정만 조회합니다. Accept: text/csv로 CSV를 받을 수 있습니다.',
    },
    'transactions.list': {
      summary: '거래 내역 목록',
      description:
        '계정에 기장된 거래 내역을 occurred_at 기준 최신순으로 조회합니다. 날짜가 없으면 최근 30일입니다. 통화마다 balance_after는 바로 앞 거래 내역의 잔액에 amount를 더한 값이며 페이지가 바뀌어도 같습니다. balances는 이 페이지 앞뒤의 opening_balance와 closing_balance를 알려 줍니다. 다음 페이지에는 as_of를 그대로 보내세요. ERP에 직접 묻습니다. Accept: text/csv로 CSV를 받을 수 있습니다.',
    },
    'bills.list': {
      summary: '청구서 목록',
      description:
        '청구서를 issued_at 기준 최신순으로 조회합니다. amount_total은 해당 bill_id가 있는 거래 내역의 합계이며, 금액은 내야 할 금액입니다. ERP에 직접 묻습니다. Accept: text/csv로 CSV를 받을 수 있습니다.',
    },
    'refunds.list': {
      summary: '환불 목록',
      description:
        '환불을 requested_at 기준 최신순으로 조회합니다. 완료된 환불은 같은 금액의 거래 내역을 가리킵니다. ERP에 직접 묻습니다. Accept: text/csv로 CSV를 받을 수 있습니다.',
    },
    'freight_bills.list': {
      summary: '운임 청구서 목록',
      description:
        '출고별 운임을 billed_at 기준 최신순으로 무게, 구역과 함께 조회합니다. amount는 내야 할 금액이며, 기장된 거래 내역을 가리킵니다. ERP에 직접 묻습니다. Accept: text/csv로 CSV를 받을 수 있습니다.',
    },
    'shipments.list': {
      summary: '출고 목록',
      description:
        '창고에서 나간 출고 건을 출고일 기준으로 조회합니다. order_id, dropship_order_id, tracking_number로 조회할 때는 기간 제한이 없습니다.',
    },
    'shipments.read': {
      summary: '출고 조회',
      description: '출고 한 건을 운송사, 배송 추적 정보, 품목과 함께 조회합니다.',
    },
    'webhook_endpoints.create': {
      summary: '웹훅 엔드포인트 등록',
      description:
        '이벤트를 보낼 곳이며 채널당 최대 5개입니다. 시크릿은 이번 응답에서만 알려 줍니다. warehouse_codes는 stock.changed의 범위를 좁힙니다. 합산 보기는 여기나 허용 목록에 적힌 경우에만 알립니다. 샌드박스에서는 경로가 /sandbox/inbox/<name>인 URL이 게이트웨이 자체의 수신함입니다.',
    },
    'webhook_endpoints.list': {
      summary: '웹훅 엔드포인트 목록',
      description: '채널의 모든 엔드포인트와 마지막 성공 및 실패입니다. 시크릿은 보여 주지 않습니다.',
    },
    'webhook_endpoints.read': {
      summary: '웹훅 엔드포인트 조회',
      description: '엔드포인트 하나와 마지막 성공 및 실패입니다.',
    },
    'webhook_endpoints.change': {
      summary: '웹훅 엔드포인트 변경',
      description: '보낸 필드를 바꿉니다. 1초 뒤에 시작하는 시도부터 따릅니다.',
    },
    'webhook_endpoints.delete': {
      summary: '웹훅 엔드포인트 삭제',
      description: '더 이상 아무것도 보내지 않으며, 기다리던 것은 취소됩니다. 두 번 해도 같습니다.',
    },
    'webhook_endpoints.rotate': {
      summary: '시크릿 교체',
      description:
        '새 시크릿을 이번 응답에서만 알려 줍니다. 24시간 동안 두 시크릿이 함께 서명하므로 수신자는 끊김 없이 바꿀 수 있습니다.',
    },
    'webhook_endpoints.test': {
      summary: '테스트 전송',
      description:
        '이 엔드포인트로 webhook.test 유형의 이벤트를 보냅니다. 실제 이벤트와 같은 과정을 거치며, 결과는 GET /webhook-deliveries로 확인합니다.',
    },
    'webhook_deliveries.list': {
      summary: '전송 목록',
      description:
        '각 이벤트가 각 엔드포인트에서 어떻게 되었는지 보여 줍니다. 날짜가 없으면 최근 30일과 모든 데드 레터입니다.',
    },
    'webhook_deliveries.read': {
      summary: '전송 조회',
      description: '전송 하나의 시도 횟수와 마지막 결과입니다.',
    },
    'webhook_deliveries.redeliver': {
      summary: '다시 전송',
      description:
        '같은 event_id로 지금 다시 보내며 재시도 일정이 처음부터 시작됩니다. 기다리던 전송은 지금 시도합니다.',
    },
    'events.list': {
      summary: '이벤트 읽기',
      description:
        'since가 가리키는 이벤트 다음의 채널 이벤트를 오래된 것부터 보여 줍니다. since가 없으면 처음부터입니다. 멈춰 있던 수신자를 위한 것으로, has_more가 false일 때까지 마지막 event_id를 다시 보내세요. order.created는 30일, stock.changed는 행 없이 7일 동안 보관합니다.',
    },
    'events.read': { summary: '이벤트 조회', description: '채널의 이벤트 하나입니다.' },
    'sandbox.inbox.read': {
      summary: '샌드박스 수신함 보기',
      description: '채널의 수신함이 받은 것을 최신순으로, 서명이 맞는지와 함께 보여 줍니다.',
    },
    'sandbox.inbox.fail': {
      summary: '샌드박스 수신함을 실패하게 하기',
      description: '다음 fail_times번의 전송에 fail_status로 응답합니다.',
    },
    'sandbox.inbox.empty': {
      summary: '샌드박스 수신함 비우기',
      description: '받은 것과 실패하라는 지시를 모두 잊습니다.',
    },
    'idempotency_keys.list': {
      summary: 'Idempotency-Key 조회',
      description:
        '채널이 특정 키로 보낸 요청이 어떻게 되었는지 조회합니다. 결과는 running, completed, in_doubt(결과를 확인하는 중) 또는 failed(아무 작업도 수행되지 않음)입니다. 응답을 받지 못한 클라이언트를 위한 것입니다.',
    },
    'admin.doubts.list': {
      summary: '결과 미확인 쓰기 목록',
      description:
        '결과를 알 수 없는 ERP 쓰기를 오래된 순으로 보여 줍니다. settled_by는 게이트웨이가 스스로 조회하는지, ERP가 조회를 제공하지 않아 사람이 처리해야 하는지를 나타냅니다.',
    },
    'admin.doubts.settle': {
      summary: '결과 미확인 쓰기 처리',
      description:
        'ERP를 직접 확인한 사람을 위한 것입니다. found는 그 문서를 읽어 쓰기를 완료하고, absent는 쓰기를 되돌리고 키를 해제합니다.',
    },
    'sandbox.faults': {
      summary: '샌드박스 오류 설정',
      description: '내장 ERP의 쓰기가 어떤 방식으로 얼마나 자주 실패할지 정합니다. 빈 객체는 이를 끝냅니다.',
    },
    'sandbox.clock': {
      summary: '샌드박스 시계 앞당기기',
      description: '내장 ERP의 시간을 흐르게 합니다. 선점이 만료되고 주문이 창고에 인계되어 출고됩니다.',
    },
    'sandbox.stock': {
      summary: '샌드박스 재고 설정',
      description: '창고의 SKU 보유 수량을 정합니다. 0이면 품절입니다.',
    },
    'sandbox.price': {
      summary: '샌드박스 가격 변경',
      description: 'SKU의 도매 정가를 최소 화폐 단위로 정합니다.',
    },
    'sandbox.ship': {
      summary: '샌드박스에서 출고',
      description:
        '주문이 창고에서 즉시 출고되게 합니다. 관리자 토큰 또는 주문을 소유한 채널의 bearer로 호출합니다.',
    },
    'sandbox.intercept': {
      summary: '샌드박스에서 회수',
      description:
        '배송 중인 위탁배송 주문을 회수합니다. 관리자 토큰 또는 주문을 소유한 채널의 bearer로 호출합니다.',
    },
    'errors.list': {
      summary: '오류 코드 목록',
      description:
        '변하지 않는 모든 오류 코드를 HTTP 상태 코드, 호출자 언어의 설명, 재시도 가능 여부와 함께 조회합니다.',
    },
    'errors.read': { summary: '오류 코드 조회', description: '오류 코드 목록의 한 항목을 조회합니다.' },
    'warehouses.list': {
      summary: '창고 목록',
      description: '채널이 사용할 수 있는 실제 창고와 회사 단위 합산 보기를 조회합니다.',
    },
    'stock.list': {
      summary: '창고 재고 조회',
      description:
        '창고 전체, 한 페이지, 한 스타일(product_code) 또는 한 SKU(sku)의 재고를 조회합니다. page와 page_size가 없으면 모든 행을 반환합니다. 이후에는 첫 페이지의 version부터 변경 피드를 따라가세요.',
    },
    'stock.changes': {
      summary: '특정 버전 이후의 재고 변경',
      description:
        '커서 이후 변경된 행을 SKU마다 한 번씩 최신 상태로 반환합니다. 철회된 SKU는 수량 0과 removed: true로 표시됩니다. version을 다음 요청의 since로 보내세요. 행당 1포인트이며 최소 1포인트, 최대 60포인트입니다. 페이지는 남은 포인트에 맞춰 줄어듭니다. needs_full_sync는 전체 조회가 필요하다는 뜻입니다. 마지막 페이지는 row_count와 checksum으로 스스로를 증명합니다.',
    },
    'stock.checksum': {
      summary: '창고 재고의 증명',
      description: '버전, 행 수, 체크섬을 반환합니다. 직접 보유한 사본과 비교하세요.',
    },
    'products.list': {
      summary: '상품 목록',
      description:
        '스타일과 그 SKU를 product_code 순서로 조회합니다. q는 모든 언어의 이름, 코드, SKU에서 검색합니다.',
    },
    'products.read': { summary: '상품 조회', description: '스타일 하나와 그 SKU를 조회합니다.' },
    'shipping_methods.list': {
      summary: '배송 방법 목록',
      description: '도매 주문이 채널의 창고에서 나갈 수 있는 모든 방법을 조회합니다.',
    },
    'addresses.list': {
      summary: '주소 목록',
      description:
        '채널에 연결된 고객의 배송 주소를 조회합니다. 연결된 고객이 없는 채널은 빈 목록을 받습니다.',
    },
    'admin.channels.create': {
      summary: '채널 생성',
      description: '채널과 클라이언트 시크릿을 반환합니다. 시크릿은 이번 한 번만 표시됩니다.',
    },
    'admin.channels.list': {
      summary: '채널 목록',
      description: '모든 채널을 플랜, 허용 목록, 할당량, 클라이언트 시크릿(값은 제외)과 함께 조회합니다.',
    },
    'admin.channels.read': { summary: '채널 조회', description: '채널 하나를 조회합니다.' },
    'admin.channels.change': {
      summary: '채널 변경',
      description:
        '이름, 플랜, 허용 목록, 고객, 할당량, 업무 스위치를 변경합니다. 사용 중인 토큰에는 1초 안에 적용됩니다.',
    },
    'admin.channels.delete': {
      summary: '채널 삭제',
      description: '채널의 클라이언트 시크릿과 토큰을 폐기합니다. 채널 코드는 다시 배정되지 않습니다.',
    },
    'admin.secrets.create': {
      summary: '클라이언트 시크릿 발급',
      description: '시크릿을 이번 한 번만 표시합니다. 이전 시크릿은 삭제할 때까지 유효합니다.',
    },
    'admin.secrets.delete': {
      summary: '클라이언트 시크릿 삭제',
      description: '시크릿과 그 시크릿으로 발급된 토큰을 폐기합니다.',
    },
    'admin.plan_requests.list': {
      summary: '전체 플랜 신청 목록',
      description: '모든 채널의 플랜 신청을 최신순으로 조회합니다.',
    },
    'admin.plan_requests.approve': {
      summary: '플랜 신청 승인',
      description: '플랜을 설정합니다. 사용 중인 토큰에는 1초 안에 적용됩니다.',
    },
    'admin.plan_requests.decline': {
      summary: '플랜 신청 거부',
      description: '플랜을 그대로 둡니다.',
    },
  },
  webhooks: {
    'stock.changed': {
      summary: '창고의 재고가 바뀌었습니다',
      description:
        '창고마다 5초에 최대 한 번이며, 이전 이벤트 이후 바뀐 행을 최대 100개까지 담습니다. 알림으로만 여기고 가지고 있는 버전부터 변경 피드를 따라가세요. 그보다 오래된 것은 이미 아는 내용입니다.',
    },
    'order.created': {
      summary: '주문이 제출되었습니다',
      description:
        '도매 주문이나 위탁배송 주문마다 한 번, ERP가 받았을 때 보냅니다. 처음에 결과를 알 수 없던 주문도 같습니다. 수취인은 담지 않습니다.',
    },
    answer: {
      summary: '받았습니다. 모든 2xx가 인정되며 본문은 보지 않습니다.',
      description:
        '리디렉션을 포함한 다른 응답이나 15초 안에 응답이 없는 것은 실패입니다. 30초, 2분, 10분, 1시간, 6시간 뒤에 같은 event_id로 다시 보내며, 6번 시도한 뒤에는 데드 레터가 됩니다.',
    },
  },
  mcp: {
    summary: '에이전트를 위한 업무 작업',
    description:
      'Streamable HTTP 위의 Model Context Protocol로, 세션 없이 이 API의 Bearer 토큰을 사용합니다: check_stock, find_products, get_statement, quote_order, place_order, cancel_order, quote_dropship, place_dropship, release_dropship, list_endpoints, call_endpoint. 권한, 포인트, 응답은 그 뒤에 있는 호출과 같습니다.',
  },
  actions: {
    check_stock: '재고 확인',
    find_products: '상품 찾기',
    get_statement: '정산서',
    quote_order: '도매 주문 견적',
    place_order: '도매 주문 제출',
    cancel_order: '주문 취소',
    quote_dropship: '위탁배송 견적',
    place_dropship: '위탁배송 주문',
    release_dropship: '선점 재고 해제',
    list_endpoints: '엔드포인트 목록',
    call_endpoint: '엔드포인트 호출',
  },
  things: {
    address: '주소',
    cart: '장바구니',
    channel: '채널',
    dropship_order: '위탁배송 주문',
    event: '이벤트',
    hold: '선점',
    inbox: '수신함',
    order: '주문',
    plan_request: '플랜 신청',
    reservation: '예약',
    secret: '클라이언트 시크릿',
    shipment: '출고',
    shipping_method: '배송 방법',
    webhook_delivery: '웹훅 전송',
    webhook_endpoint: '웹훅 엔드포인트',
    write_in_doubt: '결과 미확인 쓰기',
  },
  fields: fieldsKo,
  settings: settingsKo,
  site: siteKo,
}
