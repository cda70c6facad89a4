import { diagramsKo } from './diagrams/ko.ts'
import { fieldsKo } from './fields/ko.ts'
import type { Texts } from './language-texts.ts'
import { settingsKo } from './settings/ko.ts'
import { siteKo } from './site/ko.ts'

export const ko: Texts = {
  sentences: {
    path_unknown: '{method} {path} 엔드포인트가 없습니다.',
    path_no_slash: '요청 대상은 호스트 없이 슬래시(/)로 시작하는 경로여야 합니다.',
    path_fragment:
      'URL에 프래그먼트(#)가 있습니다. 프래그먼트는 클라이언트에서만 사용됩니다. 제거하고 보내세요.',
    path_encoding: '경로가 올바른 퍼센트 인코딩 UTF-8이 아닙니다.',
    path_empty_segment: '경로에 빈 구간이 있습니다. 연속된 슬래시나 끝의 슬래시를 빼세요.',
    path_dot_segment: '경로에 점 구간이 있습니다.',
    path_character: '경로의 한 구간에 슬래시, 백슬래시 또는 NUL이 있습니다.',
    not_whole_number: '최대 {most}자리의 정수여야 합니다',
    not_this_form: '레퍼런스에 있는 형식이어야 합니다',
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
    day_form: '올바른 날짜(YYYY-MM-DD)여야 합니다. 예: 2026-11-21',
    day_too_early: '1970-01-01 이후여야 합니다',
    instant_form: 'UTC 시각이어야 합니다. 예: 2026-11-21T08:30:00.000Z',
    code_form: '줄바꿈, 제어 문자, 보이지 않는 문자가 없는 Unicode NFC 형식이어야 합니다',
    visible_needed: '보이는 문자가 있어야 합니다',
    words_form: '줄바꿈이나 다른 제어 문자가 없는 Unicode NFC 형식이어야 합니다',
    amount_form: '소수점 이하가 최대 2자리인 금액이어야 합니다',
    country_form: 'ISO 3166-1의 대문자 두 글자 국가 코드여야 합니다. 예: AU, GB',
    key_form: '화면에 보이는 ASCII 문자 1~255자여야 합니다',
    channel_code_form:
      '영문자, 숫자, 점, 밑줄, 하이픈으로 된 1~64자여야 하며 영문자나 숫자로 시작해야 합니다',
    method_not_allowed:
      '{path} 경로에는 {method} 메서드를 사용할 수 없습니다. 사용할 수 있는 메서드: {allowed}.',
    legacy_gone: '{path} 경로는 종료되었습니다. 다음 경로를 사용하세요: {replacement}.',
    legacy_unknown:
      '{path} 경로가 없습니다. API의 모든 경로는 /api/v1로 시작합니다. 목록은 다음에서 확인하세요: {replacement}.',
    body_not_utf8: '본문이 올바른 UTF-8이 아닙니다.',
    body_not_json: '본문이 올바른 JSON이 아닙니다.',
    body_too_deep: '본문의 중첩이 {most}단계를 초과합니다.',
    body_duplicate_key: '본문의 한 객체 안에 “{key}” 키가 두 번 있습니다.',
    body_forbidden_key: '본문에 사용할 수 없는 “{key}” 키가 있습니다.',
    body_too_large: '본문이 {most}바이트를 초과합니다.',
    body_missing: '본문이 비어 있습니다. JSON 객체를 보내세요.',
    body_not_object: '본문이 JSON 객체가 아닙니다.',
    body_type:
      '이 엔드포인트는 `Content-Type` “{type}” 형식을 지원하지 않습니다. 다음 형식으로 보내세요: {expected}.',
    body_encoding:
      '이 엔드포인트는 `Content-Encoding` “{encoding}” 방식을 지원하지 않습니다. 본문을 인코딩하지 말고 보내세요.',
    body_interrupted: '본문 전체가 도착하기 전에 연결이 끊어졌습니다.',
    header_twice: '`{name}` 헤더를 두 번 이상 보냈습니다.',
    too_many_headers: '요청 헤더가 {most}개를 초과합니다.',
    url_too_long: 'URL이 {most}자를 초과합니다.',
    headers_too_large: '헤더 전체 크기가 {most}바이트를 초과합니다.',
    host_missing: '요청에 `Host` 헤더가 없습니다.',
    expectation: '`Expect` 헤더의 “{value}” 요구를 충족할 수 없습니다.',
    broken_framing: '요청이 올바른 HTTP 형식이 아니거나 알 수 없는 메서드입니다.',
    request_timeout: '요청이 {seconds}초 안에 도착하지 않았습니다.',
    query_malformed: '쿼리 문자열이 올바른 퍼센트 인코딩 UTF-8이 아닙니다.',
    parameter_unknown: '이 엔드포인트에는 “{param}” 매개변수가 없습니다. 사용할 수 있는 매개변수: {known}.',
    parameter_twice: '“{param}” 매개변수를 두 번 이상 보냈습니다.',
    field_unknown: '이 요청에는 “{param}” 필드가 없습니다. 사용할 수 있는 필드: {known}.',
    field_invalid: '`{param}` 값은 {problem}.',
    problem_value: '{problem}(받은 값: {value})',
    problem_length: '{problem}(현재 {value})',
    none_of_these: '{value}입니다. 다음 중 하나여야 합니다: {values}',
    credentials_in_query:
      '자격 증명은 본문에 담아야 합니다. 게이트웨이는 URL의 `{param}` 값을 읽지 않습니다. URL은 로그에 남으므로 이 값이 유출된 것으로 간주하세요.',
    credentials_missing:
      '본문에 완전한 자격 증명이 없습니다. `client_id`와 `client_secret` 또는 `username`과 `password`를 `Content-Type: application/json` 형식의 JSON이나 폼으로 보내세요.',
    grant_unknown:
      '알 수 없는 `grant_type` “{grant}” 값입니다. `client_credentials` 또는 `password`를 사용하세요.',
    token_in_query:
      '쿼리 문자열의 토큰은 받지 않습니다. `Authorization: Bearer <ACCESS_TOKEN>` 헤더를 보내세요.',
    token_not_bearer: '`Authorization` 헤더는 `Bearer <ACCESS_TOKEN>` 형식이어야 합니다.',
    token_doubled: '토큰을 두 개 이상 보냈습니다.',
    token_revoked: '이 토큰은 폐기되었습니다.',
    all_tokens_of_account:
      'OMS 계정의 토큰만 해당 계정의 모든 토큰을 폐기할 수 있습니다. 이 토큰만 폐기하려면 `all`을 보내지 마세요.',
    session_ended: 'ERP가 이 토큰에 연결된 세션을 종료했습니다.',
    legacy_token_ended: '구 게이트웨이의 토큰은 사용할 수 없습니다. 사용 기한: {until}.',
    channel_gone: '이 토큰의 채널이 더 이상 존재하지 않습니다.',
    channel_paused: '운영자가 이 채널을 일시 중지했습니다. 담당 매니저에게 문의하세요.',
    hint_channel_paused:
      '채널이 일시 중지된 동안에는 토큰을 발급받거나 사용할 수 없습니다. 언제 다시 열리는지 문의하고, 그때 같은 요청을 다시 보내세요.',
    channel_changed_since:
      '{channel} 채널이 조회한 뒤에 변경되었습니다(변경 시각: {updated_at}). 이번 요청으로는 아무것도 바뀌지 않았습니다. 채널을 다시 조회한 다음 변경을 다시 요청하세요.',
    pause_changed_since:
      '조회한 뒤에 쓰기가 다시 일시 중지되었습니다(시작 시각: {paused_at}). 이번 요청으로는 아무것도 바뀌지 않았습니다. 새 일시 중지를 조회한 다음 변경을 다시 요청하세요.',
    capability_missing: '이 호출에는 `{capability}` 권한이 필요합니다. {plan} 플랜에는 이 권한이 없습니다.',
    capability_account:
      '이 호출에는 `{capability}` 권한이 필요합니다. {account} OMS 계정에는 이 권한이 없습니다.',
    switched_off: '이 채널에서는 {what} 기능이 꺼져 있습니다.',
    warehouse_unknown: '“{warehouse}” 창고가 없습니다. 등록된 창고: {known}.',
    warehouse_denied: '{warehouse} 창고는 이 채널의 허용 목록에 없습니다. 허용된 창고: {allowed}.',
    warehouse_filling: '{warehouse} 창고의 재고를 ERP에서 처음으로 읽어 오는 중입니다.',
    warehouses_filling: '창고를 ERP에서 처음으로 읽어 오는 중입니다.',
    products_filling: '상품을 ERP에서 처음으로 읽어 오는 중입니다.',
    shipping_methods_filling: '배송 방법을 ERP에서 처음으로 읽어 오는 중입니다.',
    customer_filling: '거래처의 배송 주소와 주문 가능 상품을 ERP에서 처음으로 읽어 오는 중입니다.',
    points_used:
      '이 호출에는 {cost}포인트가 필요합니다. 최근 60초 동안 사용한 포인트를 빼면 {limit}포인트 중 {remaining}포인트가 남아 있습니다.',
    tokens_too_many: '최근 60초 동안 요청한 토큰이 {most}개를 초과합니다.',
    locked_until:
      '비밀번호가 여러 번 틀렸습니다. 이 사용자 이름의 로그인은 앞으로 {seconds}초 동안 잠깁니다.',
    locked_address: '이 IP 주소에서 로그인에 너무 많이 실패했습니다. {seconds}초 동안 기다리세요.',
    refusals_address:
      '이 IP 주소에서 유효한 토큰이 없는 요청을 너무 많이 보냈습니다. {seconds}초 동안 기다리세요.',
    admin_tries: '잘못된 관리자 토큰을 너무 많이 보냈습니다. {seconds}초 동안 기다리세요.',
    admin_tries_hint: '토큰을 서버 설정 `ADMIN_TOKEN`의 값과 비교하세요.',
    metrics_tries: '잘못된 지표 토큰을 너무 많이 보냈습니다. {seconds}초 동안 기다리세요.',
    metrics_tries_hint: '토큰을 서버 설정 `METRICS_TOKEN`의 값과 비교하세요.',
    metrics_token: '지표 토큰이 없거나 잘못되었습니다.',
    hint_metrics_token:
      '서버 설정 `METRICS_TOKEN`의 값을 Bearer 토큰으로 보내거나, 관리자 토큰을 `x-admin-token`에 보내세요.',
    metrics_closed: '이 서버에서는 지표가 비활성화되어 있습니다.',
    hint_metrics_closed: '서버에 `METRICS_TOKEN`을 설정하고 다시 시작하세요.',
    sign_in_unavailable: '지금은 ERP에서 비밀번호를 확인할 수 없습니다.',
    sku_unknown: '“{sku}” SKU가 없습니다.',
    style_unknown: '“{style}” 스타일이 없습니다.',
    thing_unknown: '“{id}”에 해당하는 {what} 정보가 없습니다.',
    error_unknown: '“{code}” 오류 코드가 없습니다.',
    key_invalid: '`Idempotency-Key`는 화면에 보이는 ASCII 문자 1~255자여야 하며 한 번만 보내야 합니다.',
    period_reversed: '`since`({since})가 `until`({until})보다 이르지 않습니다.',
    range_reversed: '`start_date`({start})가 `end_date`({end})보다 늦습니다.',
    start_after_today:
      '`start_date`({start})가 {end}보다 늦습니다. `end_date`의 기본값은 오늘이며, `as_of`가 있으면 `as_of`의 날짜입니다.',
    range_too_long: '기간({start}~{end})이 {most}일을 초과합니다.',
    currency_unknown: 'ERP에 이 거래처의 {currency} 계정이 없습니다.',
    currency_form: 'ISO 4217 통화 코드여야 합니다. 예: AUD',
    plan_pending: '{plan} 플랜 신청이 이미 승인을 기다리고 있습니다.',
    plan_present: '이 채널은 이미 {plan} 플랜을 사용하고 있습니다.',
    plan_decided: '이 신청은 이미 처리되었습니다. 상태: {status}.',
    channel_code_taken:
      '“{channel}” 채널이 이미 있거나 삭제되었습니다. 한 번 사용한 코드는 다시 발급되지 않습니다.',
    customer_taken: '{customer} 거래처는 이미 {channel} 채널에 속해 있습니다.',
    secrets_too_many: '채널의 시크릿은 최대 {most}개입니다. 먼저 하나를 삭제하세요.',
    erp_rejected: 'ERP가 이 요청을 거부했습니다: {reason}',
    erp_unreachable: 'ERP에 연결할 수 없습니다. ERP로 아무것도 보내지 않았습니다.',
    erp_busy:
      'ERP가 다른 호출을 처리하느라 이 쓰기의 차례가 제때 오지 않았습니다. ERP로 아무것도 보내지 않았습니다.',
    write_too_late:
      '게이트웨이에 과부하가 걸려 이 쓰기를 제때 보내지 못했습니다. ERP로 아무것도 보내지 않았습니다.',
    lock_lost:
      '게이트웨이가 이 쓰기를 보내기 전에 데이터베이스와의 연결이 끊어졌습니다. ERP로 아무것도 보내지 않았습니다.',
    outcome_unknown:
      'ERP에 쓰기를 보냈지만 응답을 받지 못해 결과를 아직 알 수 없습니다. 같은 `Idempotency-Key`로 재시도하세요.',
    outcome_unknown_keyless: 'ERP에 쓰기를 보냈지만 응답을 받지 못해 결과를 아직 알 수 없습니다.',
    document_in_doubt:
      '{id} 문서에 대한 이전 쓰기의 결과가 아직 확인되지 않았습니다. 게이트웨이가 결과를 조회하고 있습니다. 그 쓰기에 사용한 키로 재시도하세요.',
    no_preview_any_more:
      '{id} 미리보기는 이미 제출되어 더 이상 재고를 선점하지 않습니다. 대신 주문을 취소하세요.',
    not_in_state: '{id} 문서의 현재 상태는 {status}입니다. 이 호출에 필요한 상태: {needed}.',
    recipient_of_open_order:
      '{id} 문서의 현재 상태는 {status}입니다. 주문이 출고, 취소 또는 배송 중지되었고 결과를 모르는 쓰기가 없을 때 수취인 데이터를 삭제할 수 있습니다.',
    hold_of_order:
      '재고 선점 {id} 건은 {order} 주문에 속합니다. 이 주문을 제출하거나 취소하면 재고 선점도 끝납니다.',
    not_at_erp: 'ERP에 {id} 문서에 해당하는 {reference} 문서가 없습니다.',
    is_at_erp: 'ERP에 {id} 쓰기 작업의 문서가 있습니다. found로 결과를 확정하세요.',
    not_done_at_erp:
      'ERP에서 {id} 문서의 상태는 {status}이므로 {kind} 작업이 반영되었다고 볼 수 없습니다. absent로 결과를 확정하세요.',
    sandbox_only: '샌드박스 제어 API는 내장 ERP를 사용할 때만 호출할 수 있습니다.',
    key_in_doubt: '게이트웨이가 이 `Idempotency-Key`로 보낸 이전 요청의 결과를 ERP에서 조회하고 있습니다.',
    field_needed: '필수 항목입니다',
    not_with_order_id: '`order_id`와 함께 사용할 수 없습니다',
    sku_twice: '앞 품목에 이미 있습니다. 수량을 합쳐야 합니다',
    hint_insufficient_stock:
      '`error.shortages[].quantity_available` 이하로 주문하거나, 도매 주문이라면 `allow_partial`을 보내세요. 입고 예정인 재고는 미리보기에서 확인할 수 있습니다. 아무것도 생성되지 않았습니다.',
    hint_insufficient_balance:
      '충전하세요. 도매 주문은 다른 `payment_method`를 선택할 수도 있습니다. 아무것도 생성되지 않았습니다.',
    hint_already_shipped:
      '주문이 이미 창고에서 출고되어 취소할 수 없습니다. 반품을 진행하세요. 아무것도 바뀌지 않았습니다.',
    hint_already_cancelled: '문서가 이미 취소되었으며 되돌릴 수 없습니다. 새 문서를 만드세요.',
    hint_hold_expired:
      '재고가 더 이상 선점되어 있지 않습니다. 다시 미리보기를 하거나 `dropship_order_id` 없이 제출하세요. 아무것도 생성되지 않았습니다.',
    hint_reservation_over: '새 재고 예약을 만들거나 재고 예약 없이 주문하세요. 아무것도 생성되지 않았습니다.',
    hint_price_changed: '다시 미리보기를 하고 새 총액을 확인한 뒤 제출하세요. 아무것도 생성되지 않았습니다.',
    hint_max_total:
      '총액이 `max_total`보다 큽니다. 더 큰 `max_total`을 보내거나, null을 보내 상한을 없애세요. 아무것도 생성되지 않았습니다.',
    hint_invalid_state:
      '이 작업을 할 수 없는 이유는 메시지에 있습니다. 문서에 관한 것이라면 문서를 조회해 상태를 확인하세요. 아무것도 바뀌지 않았습니다.',
    hint_upstream_unknown:
      'ERP에서 처리되었는지 알 수 없습니다. `Retry-After` 뒤에 같은 `Idempotency-Key`로 재시도하세요. 키의 상태는 `GET /api/v1/idempotency-keys`로 확인할 수 있습니다.',
    hint_upstream_unknown_keyless:
      'ERP에서 처리되었는지 알 수 없고 `Idempotency-Key`도 보내지 않았습니다. `in_doubt`가 false가 될 때까지 ID나 `client_order_number`로 문서를 조회하세요. 그런 다음 누락된 것만 키와 함께 보내세요.',
    hint_duplicate_unknown:
      '첫 제출의 `Idempotency-Key`로 재시도하거나, `in_doubt`가 false가 될 때까지 `error.duplicate_of`의 주문을 조회하세요. 다른 `client_order_number`를 보내면 배송이 중복될 수 있습니다.',
    hint_too_many_holds:
      '유효한 것을 제출하거나 해제하거나, 하나가 만료될 때까지 기다리세요. 아무것도 생성되지 않았습니다.',
    hint_sku_blocked:
      '이 SKU를 빼세요. 계정이 주문할 수 있는 상품은 `GET /api/v1/products`의 `sellable`로 확인할 수 있습니다. 아무것도 생성되지 않았습니다.',
    hint_sku_unknown: 'SKU나 스타일 코드를 확인하세요. 코드는 대소문자를 포함해 바이트 단위로 비교합니다.',
    hint_error_unknown: '모든 오류 코드는 `GET /api/v1/errors`로 조회할 수 있습니다.',
    hint_sandbox_only: '내장 ERP를 사용하려면 `UPSTREAM_URL` 없이 게이트웨이를 시작하세요.',
    hint_endpoints_too_many:
      '`DELETE /api/v1/webhook-endpoints/<endpoint_id>`로 {most}개 중 하나를 삭제하거나 PATCH로 변경하세요. 아무것도 생성되지 않았습니다.',
    hint_endpoint_deleted:
      '이 이벤트는 `GET /api/v1/events/<event_id>`로 조회하고, 앞으로의 이벤트를 받으려면 웹훅 엔드포인트를 등록하세요. 아무것도 보내지 않았습니다.',
    sku_blocked: '{sku} SKU는 이 계정의 주문 가능 상품이 아닙니다.',
    lines_most: 'ERP의 주문 하나는 최대 {most}줄입니다. 이 주문은 {count}줄입니다.',
    shipping_not_served: '{method} 배송 방법은 다음 창고에서 사용할 수 없습니다: {warehouses}.',
    cart_empty: '{id} 장바구니가 비어 있습니다.',
    preview_not_live: '{id} 미리보기가 이미 끝났거나, 주문 번호 또는 SKU가 다릅니다.',
    differs_from_preview:
      '`{param}` 값이 {id} 미리보기와 다릅니다. 미리보기와 같은 내용으로 제출해야 합니다.',
    hold_over: '{id} 미리보기의 재고 선점이 끝났습니다. 다시 미리보기를 하세요.',
    reservation_over:
      '재고 예약 {id} 건이 만료되어 재고가 더 이상 선점되어 있지 않습니다. 만료 시각: {until}. ERP는 호출하지 않았습니다.',
    too_many_live:
      '유효한 미리보기 또는 예약이 한도({most}개)에 도달했습니다. 먼저 하나를 제출하거나 해제하세요.',
    number_taken: '수취인이 다른 {sku} 주문에서 이미 사용한 주문 번호입니다: {number}.',
    duplicate: '조금 전에 주문 번호 {number}, 같은 수취인, 같은 SKU의 주문이 제출되었습니다: {id}.',
    duplicate_unknown:
      '이전에 주문 번호 {number}, 같은 수취인, 같은 SKU의 주문이 제출되었습니다: {id}. 그 제출의 결과는 아직 확인되지 않았습니다.',
    overloaded: '게이트웨이에 과부하가 걸려 이 요청을 시작하지 않았습니다.',
    url_form:
      '웹훅 URL로 사용할 수 없습니다. https://로 시작하는 화면에 보이는 ASCII 문자 {most}자 이하로 보내세요.',
    url_scheme: '웹훅 URL은 https로 시작해야 합니다.',
    url_credentials:
      '웹훅 URL에는 사용자 이름이나 비밀번호를 넣을 수 없습니다. 이벤트의 발신자는 서명으로 확인합니다.',
    url_fragment: '프래그먼트(#)는 수신 서버에 전달되지 않습니다. 제거하고 보내세요.',
    url_port: '웹훅 URL의 포트는 443 또는 8443이어야 합니다.',
    url_not_public: '웹훅 URL은 공인 IP 주소로 연결되어야 합니다. 이 주소는 공인 IP 주소가 아닙니다.',
    url_own: '게이트웨이 자신의 주소는 웹훅 URL로 사용할 수 없습니다.',
    inbox_name: '샌드박스 수신함의 이름은 영문자(A~Z, a~z), 숫자, _, -로 된 1~64자여야 합니다.',
    endpoints_too_many: '채널의 웹훅 엔드포인트는 최대 {most}개입니다. 먼저 하나를 삭제하세요.',
    rotations_too_many:
      '서명에 쓰이는 시크릿이 이미 최대 개수인 {most}개입니다. 웹훅 엔드포인트: {id}. 가장 오래된 시크릿의 만료 시각: {until}. 그 뒤에 다시 교체하세요.',
    redelivery_busy: '다른 호출이 같은 대상을 재전송하고 있습니다. 이 호출은 아무것도 하지 않았습니다.',
    redelivery_grew: '재전송할 전송은 {count}개로, 예상한 {expected}개보다 많습니다.',
    hint_redelivery_grew:
      '`error.count` 값을 확인한 뒤 그 수를 `expected_count`로 보내세요. 아무것도 보내지 않았습니다.',
    endpoint_deleted:
      '{id} 엔드포인트는 삭제된 웹훅 엔드포인트입니다. 게이트웨이는 여기로 아무것도 보내지 않습니다.',
    cursor_foreign:
      '`cursor`로 이 목록을 이어서 읽을 수 없습니다. 값이 변경되었거나 다른 목록, 채널 또는 필터의 커서입니다.',
    hint_cursor_foreign:
      '`next_cursor`를 그대로 보내고, 이를 반환한 페이지와 같은 경로, 필터, 채널을 사용하세요. `page_size`는 달라도 됩니다. 처음부터 다시 읽으려면 `cursor`를 빼세요.',
    cursor_and_page: '`page`가 {page}이지만 `cursor`가 이미 시작 위치를 지정합니다. 둘 중 하나만 보내세요.',
    cursor_and_as_of:
      '`as_of`가 {as_of}이지만 `cursor`의 목록은 {of_cursor} 기준입니다. `as_of`를 빼거나 `cursor` 없이 처음부터 읽으세요.',
    cursor_gone: '“{id}” 이벤트가 없거나 보관 기간이 지났습니다.',
    hint_cursor_gone: '`since` 없이 처음부터 조회하고, 이미 받은 `event_id`는 건너뛰세요.',
    storage_full:
      '게이트웨이 데이터베이스의 디스크가 가득 차서 쓸 수 없습니다. 아무 작업도 수행되지 않았습니다.',
    storage_unavailable: '게이트웨이의 데이터베이스가 응답하지 않습니다. 아무 작업도 수행되지 않았습니다.',
    commit_unknown: '게이트웨이의 데이터베이스가 이 쓰기를 확인하지 않아 결과를 아직 알 수 없습니다.',
    hint_commit_unknown_keyless:
      '`Idempotency-Key`를 보내지 않았습니다. `Retry-After`에 표시된 초만큼 기다린 뒤 해당 문서의 목록을 조회하세요. 그런 다음 누락된 것만 키와 함께 보내세요.',
    hint_storage:
      '`Retry-After`에 표시된 초만큼 기다린 뒤 재시도하세요. `Idempotency-Key`를 보냈다면 같은 키를 사용하세요.',
    writes_paused: '운영자가 ERP에 대한 쓰기를 일시 중지했습니다. 종료 시각: {until}.',
    hint_writes_paused:
      '`Retry-After`에 표시된 초만큼 기다린 뒤 재시도하세요. 거부된 호출은 아무것도 변경하지 않았습니다. 읽기는 정상적으로 동작합니다.',
    backup_elsewhere:
      '이 게이트웨이의 데이터베이스는 내장형이 아닙니다. PostgreSQL을 `pg_dump`로 읽는 `npm run backup`을 실행하세요.',
    backup_failed: '데이터베이스를 복사하지 못했습니다: {reason}',
    stopping: '게이트웨이를 종료하는 중입니다. 다른 프로세스로 요청을 보내세요.',
    copy_behind:
      '이 프로세스의 사본이 요청에 지정된 버전보다 오래되었고, 1초 안에 그 버전에 도달하지 못했습니다.',
    hint_copy_behind: '`Retry-After`에 표시된 초만큼 기다린 뒤 같은 요청을 다시 보내세요.',
    not_ready:
      '게이트웨이가 아직 준비되지 않았습니다. 저장소가 응답하지 않거나 재고를 처음으로 읽어 오는 중입니다.',
    origin_foreign: '{origin} 출처의 페이지는 이 엔드포인트를 호출할 수 없습니다.',
    one_of: '다음 필드 중 하나를 보내세요: {fields}.',
    action_renamed: '{name} 도구의 이름이 바뀌었습니다.',
    hint_action_renamed: '{now} 도구를 호출하세요. 인수는 도구 목록에서 확인할 수 있습니다.',
    endpoint_out_of_reach:
      '{method} {path} 엔드포인트는 여기서 호출할 수 없습니다. /api/v1 아래의 일반 경로만 호출할 수 있습니다. 자격 증명이 모델의 컨텍스트에 들어가서는 안 되므로 토큰 엔드포인트는 제외됩니다.',
    answer_too_large:
      '응답이 {size}바이트이며, 최대 {most}바이트까지만 전달할 수 있습니다. 페이지로 나누어 요청하세요(`page_size`).',
    statement_too_long: '이 기간의 목록은 {most}행을 넘습니다. 기간을 줄여 요청하세요.',
    quote_invalid:
      '이 `quote_id`는 이 계정의 이 작업에 발급된 것이 아니거나, 견적을 낸 문서가 변경되었습니다.',
    quote_expired: '이 견적은 만료되었습니다.',
    quote_used:
      '이 견적은 더 이상 사용할 수 없습니다. 견적을 낸 문서가 해제되었거나, 취소되었거나, 다른 내용으로 제출되었습니다.',
    total_differs: '`confirm_total` 값({confirmed})이 견적 총액({total} {currency})과 다릅니다.',
    hint_switched_off:
      '운영자가 이 채널에서 이 기능을 껐으며, 플랜을 바꿔도 달라지지 않습니다. 운영자에게 문의하세요. 아무것도 생성되지 않았습니다.',
    hint_quote_again:
      '새 견적을 내고 사용자에게 총액을 확인받은 뒤 새 견적으로 주문하세요. 아무것도 생성되지 않았습니다.',
    hint_quote_less:
      '새 견적을 내세요. 새 견적에는 지금 주문 가능한 수량이 표시됩니다. 아무것도 생성되지 않았습니다.',
    hint_quote_alternatives:
      '`alternatives`에 있는 수량 이하로 새 견적을 내세요. `earliest_date`가 없는 수량은 지금 주문할 수 있습니다. 부족한 SKU가 목록에 없으면 재고가 없는 것입니다. 아무것도 주문되지 않았습니다.',
    hint_quote_used: '문서를 조회하거나 새 견적을 내세요. 아무것도 생성되지 않았습니다.',
    hint_call_again:
      '결과를 아직 알 수 없습니다. `retry_after` 뒤에 같은 도구를 같은 인수로 다시 호출하세요. 게이트웨이는 결과를 조회할 뿐이며, 작업을 두 번 수행하지 않습니다.',
    reader_gone: '클라이언트 연결이 끊어져 조회를 중단했습니다.',
    call_running: '같은 호출이 아직 처리 중이거나, ERP에서 그 결과를 조회하고 있습니다.',
    hint_call_later: '`retry_after` 뒤에 같은 도구를 다시 호출하세요.',
    hint_destination_not_served:
      '이 배송 방법으로는 이 국가에 배송할 수 없습니다. 다른 배송 방법이나 다른 주소를 선택하세요.',
  },
  errors: {
    AUTH_MISSING_TOKEN: {
      title: '액세스 토큰 없음',
      message: '요청에 액세스 토큰이 없습니다.',
      hint: '`Authorization: Bearer <ACCESS_TOKEN>` 헤더를 보내세요. 토큰은 `POST /api/v1/auth/token`에서 발급받습니다.',
      when: '요청에 Bearer 토큰을 담은 `Authorization` 헤더가 없습니다. 쿼리 문자열의 토큰은 읽지 않습니다.',
    },
    AUTH_INVALID_TOKEN: {
      title: '유효하지 않은 액세스 토큰',
      message: '액세스 토큰의 형식이나 서명이 잘못되었거나, 폐기된 토큰입니다.',
      hint: '`POST /api/v1/auth/token`에서 새 토큰을 발급받으세요.',
      when: '이 게이트웨이가 발급하지 않았거나, 변조되었거나, 폐기된 토큰입니다. 구 게이트웨이의 토큰은 마지막 사용일이 지나면 이 코드로 거부됩니다.',
    },
    AUTH_EXPIRED: {
      title: '액세스 토큰 만료',
      message: '액세스 토큰이 만료되었습니다.',
      hint: '`POST /api/v1/auth/token`에서 새 토큰을 발급받으세요. 다음부터는 만료되기 조금 전에 발급받으세요.',
      when: '토큰의 유효 시간이 지났거나, 토큰에 연결된 ERP 세션이 종료되었습니다.',
    },
    SCOPE_DENIED: {
      title: '권한 없음',
      message: '채널의 플랜에 이 호출이 포함되어 있지 않습니다.',
      hint: '`POST /api/v1/plan-requests`로 `error.required_plan`에 표시된 플랜을 신청하세요.',
      when: '엔드포인트에 필요한 권한이 채널의 플랜이나 OMS 계정에 없거나, 채널의 업무 스위치가 꺼져 있습니다.',
    },
    WAREHOUSE_DENIED: {
      title: '허용되지 않은 창고',
      message: '이 창고는 채널의 허용 목록에 없습니다.',
      hint: '`GET /api/v1/warehouses`에 있는 창고를 사용하세요. 또는 이 창고를 허용 목록에 추가하거나 목록을 비우도록 담당 매니저에게 요청하세요.',
      when: '채널에 창고 허용 목록이 있고, 요청한 창고가 그 목록에 없습니다.',
    },
    AUTHZ_UNAVAILABLE: {
      title: '권한 확인 불가',
      message: '지금은 권한을 확인할 수 없습니다.',
      hint: '`Retry-After`에 표시된 시간이 지난 뒤 재시도하세요. 오류가 계속되면 요청 ID와 함께 담당 매니저에게 문의하세요.',
      when: '권한 저장소나 ERP의 로그인 서비스가 응답하지 않습니다. 게이트웨이는 권한을 확인하지 않은 호출을 통과시키지 않습니다.',
    },
    VALIDATION_FAILED: {
      title: '잘못된 매개변수',
      message: '매개변수가 올바르지 않습니다.',
      hint: '`error.param`에 표시된 필드를 수정하세요. 아무 작업도 수행되지 않았습니다.',
      when: '경로, 쿼리, 본문의 필드가 형식에 맞지 않거나, 범위를 벗어났거나, 누락되었거나, 알 수 없는 필드입니다.',
    },
    NOT_FOUND: {
      title: '찾을 수 없음',
      message: '요청한 항목이 존재하지 않습니다.',
      hint: '게이트웨이가 반환한 ID를 대소문자까지 그대로 보내세요. 존재하는 항목은 목록 엔드포인트로 조회할 수 있습니다.',
      when: '스타일 코드, SKU 또는 문서 ID가 존재하지 않습니다.',
    },
    OWNERSHIP_DENIED: {
      title: '다른 채널의 문서',
      message: '이 문서는 다른 채널에 속합니다.',
      hint: '자기 채널의 문서를 사용하세요. 목록 엔드포인트로 모두 조회할 수 있습니다.',
      when: '문서는 존재하지만 다른 채널에서 만들었습니다.',
    },
    UPSTREAM_ERROR: {
      title: 'ERP 장애',
      message: 'ERP가 정상적으로 응답하지 못했습니다.',
      hint: '`Retry-After`에 표시된 시간이 지난 뒤 재시도하세요. 쓰기는 같은 `Idempotency-Key`로 재시도하세요.',
      when: 'ERP가 오류를 반환했거나 ERP에 연결할 수 없습니다. 쓰기의 결과는 같은 키로 재시도해야 알 수 있습니다.',
    },
    UPSTREAM_TIMEOUT: {
      title: 'ERP 응답 지연',
      message: 'ERP가 제시간에 응답하지 않았습니다.',
      hint: '`Retry-After`에 표시된 시간이 지난 뒤 재시도하세요. 쓰기는 같은 `Idempotency-Key`로 재시도하세요.',
      when: 'ERP가 느리거나 ERP에 연결할 수 없습니다. 쓰기의 결과는 같은 키로 재시도해야 알 수 있습니다.',
    },
    INTERNAL: {
      title: '게이트웨이 장애',
      message: '게이트웨이에서 장애가 발생했습니다.',
      hint: '요청 ID와 함께 고객 지원에 문의하세요.',
      when: '게이트웨이 내부에서 예상하지 못한 장애가 발생했거나, 게이트웨이에 과부하가 걸렸습니다(503).',
    },
    ADMIN_UNAUTHORIZED: {
      title: '관리자 토큰 오류',
      message: '`x-admin-token` 헤더가 없거나 값이 틀립니다.',
      hint: '서버 설정 `ADMIN_TOKEN`의 값을 `x-admin-token` 헤더로 보내세요.',
      when: '`/admin/api`로 보낸 요청에 관리자 토큰이 없거나, 토큰이 서버의 설정과 다릅니다.',
    },
    ADMIN_DISABLED: {
      title: '관리자 콘솔 비활성화',
      message: '이 서버에서는 관리자 콘솔이 비활성화되어 있습니다.',
      hint: '서버에 `ADMIN_TOKEN`을 설정하고 다시 시작하세요.',
      when: '서버 설정 `ADMIN_TOKEN`이 설정되어 있지 않습니다.',
    },
    IDEMPOTENCY_IN_PROGRESS: {
      title: '같은 키의 요청 처리 중',
      message: '이 `Idempotency-Key`를 사용한 요청이 아직 처리되고 있습니다.',
      hint: '`Retry-After`에 표시된 시간이 지난 뒤 같은 키로 재시도하세요.',
      when: '이 키를 사용한 이전 요청이 끝나지 않았거나, ERP에서 그 결과를 아직 조회하고 있습니다.',
    },
    IDEMPOTENCY_MISMATCH: {
      title: '다른 요청에 사용한 키',
      message: '이 `Idempotency-Key`는 이전에 다른 내용의 요청에 사용되었습니다.',
      hint: '업무 작업마다 새 키를 사용하고, 같은 키는 그 작업을 재시도할 때만 사용하세요.',
      when: '본문이나 매개변수가 다른 요청에 사용된 키입니다.',
    },
    IDEMPOTENCY_INVALID_KEY: {
      title: '잘못된 Idempotency-Key',
      message: '`Idempotency-Key`가 올바르지 않습니다.',
      hint: 'UUID처럼 화면에 보이는 ASCII 문자 1~255자를 사용하고, 헤더는 한 번만 보내세요.',
      when: '키가 비어 있거나, 255자를 초과하거나, 화면에 보이는 ASCII 문자가 아닌 문자를 포함하거나, 두 번 전송되었습니다.',
    },
    RATE_LIMITED: {
      title: '호출 한도 초과(포인트 소진)',
      message: '채널이 최근 60초 동안 쓸 수 있는 포인트를 모두 사용했습니다.',
      hint: '`Retry-After`에 표시된 초만큼 기다리세요. 변경 피드는 전체 조회보다 포인트가 적게 차감됩니다. 포인트 한도를 늘리려면 담당 매니저에게 문의하세요.',
      when: '채널의 포인트 한도에서 남은 포인트가 호출에 차감될 포인트보다 적습니다. 거부된 호출에는 포인트가 차감되지 않습니다.',
    },
    BAD_REQUEST: {
      title: '잘못된 요청',
      message: '요청 형식이 잘못되었습니다.',
      hint: '메서드, 경로, 헤더, 본문을 레퍼런스와 비교하세요.',
      when: '메서드나 경로가 틀렸거나, 본문을 읽을 수 없거나, HTTP 형식이 깨졌습니다.',
    },
    READ_ONLY_MODE: {
      title: '읽기 전용 환경',
      message: '이 환경에서는 ERP에 대한 쓰기를 거부합니다.',
      hint: '쓰기는 운영 환경으로 보내세요. 읽기는 이 환경에서도 정상적으로 동작합니다.',
      when: '서버가 `WRITES_ENABLED=0` 설정으로 실행되고 있거나, 운영자가 쓰기를 일시 중지했습니다. 일시 중지된 경우에는 응답에 `Retry-After`가 있습니다.',
    },
    ENDPOINT_GONE: {
      title: '종료된 구 경로',
      message: '이 경로는 종료되었습니다.',
      hint: '`error.replacement`에 표시된 경로를 사용하세요. 모든 엔드포인트는 /api/v1 아래에 있습니다.',
      when: '구 게이트웨이의 경로(`/Api/*`)입니다.',
    },
    WAREHOUSE_UNKNOWN: {
      title: '알 수 없는 창고',
      message: '존재하지 않는 창고입니다.',
      hint: '`GET /api/v1/warehouses`에 있는 코드를 사용하세요. 코드는 대소문자를 구분하며, 예전 별칭은 더 이상 사용할 수 없습니다.',
      when: '코드가 AU, AUSYD2, AUSYD1, CN, CHNZJ1 중 하나가 아닙니다.',
    },
    UPSTREAM_REJECTED: {
      title: 'ERP 거부',
      message: 'ERP가 요청을 거부했습니다.',
      hint: '이유는 `error.message`와 `error.reason`에 있습니다. 요청을 수정해 다시 보내세요. 아무것도 생성되지 않았습니다.',
      when: '재고가 부족하거나, 알 수 없는 ID이거나, ERP가 받지 않는 필드가 있거나, 문서의 상태에서 할 수 없는 작업입니다. 마지막 경우에는 ERP를 호출하지 않을 수도 있습니다.',
    },
    AUTH_BAD_CREDENTIALS: {
      title: '잘못된 자격 증명',
      message: '자격 증명이 올바르지 않습니다.',
      hint: '`client_id`와 `client_secret` 또는 `username`과 `password`를 확인하세요. 시크릿을 분실했다면 운영자에게 재발급을 요청하세요.',
      when: '클라이언트 ID나 시크릿, 또는 OMS 사용자 이름이나 비밀번호가 틀렸거나, 계정이 어느 채널에도 속하지 않습니다.',
    },
    AUTH_LOCKED: {
      title: '로그인 잠김',
      message: '비밀번호가 여러 번 틀려 로그인이 잠겼습니다.',
      hint: '`Retry-After`에 표시된 초만큼 기다리세요. 이미 발급된 토큰은 계속 사용할 수 있습니다.',
      when: '15분 안에 비밀번호가 5번 틀리면 OMS 계정이 15분 동안 잠깁니다. 한 시간에 100번 실패하면 해당 IP 주소가 잠깁니다.',
    },
    DUPLICATE_SUSPECTED: {
      title: '중복 의심',
      message: '조금 전에 같은 수취인과 SKU로 주문했습니다.',
      hint: '의도한 주문이라면 다른 `client_order_number`를 보내거나, `error.window_ends_at` 이후에 재시도하세요.',
      when: '조금 전에 `client_order_number`, SKU, 수취인이 같은 위탁배송 주문이 제출되었습니다.',
    },
    OMS_LOGIN_REQUIRED: {
      title: 'OMS 로그인 필요',
      message: '이 엔드포인트에는 OMS 계정의 토큰이 필요합니다.',
      hint: '`grant_type=password`로 토큰을 발급받으세요. 할당 규칙은 OMS 계정을 따릅니다.',
      when: '주문을 만드는 호출에 채널 인증으로 발급받은 토큰을 보냈습니다.',
    },
    SHIPPING_REQUIRED: {
      title: '배송 정보 없음',
      message: '도매 주문에 배송 방법이 없거나, 배송이 필요한 주문에 주소가 없습니다.',
      hint: '`shipping.shipping_method_id`(`GET /api/v1/shipping-methods`)를 보내고, 배송이 필요한 주문이라면 `shipping.address_id`(`GET /api/v1/addresses`)도 보내세요. 또는 OMS 웹사이트의 사용자(User) > 환경설정(Preferences)에서 기본값을 지정하세요.',
      when: '배송 정보 없이 도매 주문의 미리보기나 제출을 요청했습니다.',
    },
  },
  things: {
    address: '주소',
    cart: '장바구니',
    channel: '채널',
    dropship_order: '위탁배송 주문',
    event: '이벤트',
    hold: '재고 선점',
    inbox: '수신함',
    lockout: '사용자 이름 잠금',
    order: '주문',
    plan_request: '플랜 신청',
    audit_row: '감사 기록',
    request: '요청',
    reservation: '재고 예약',
    secret: '클라이언트 시크릿',
    shipment: '출고',
    shipping_method: '배송 방법',
    token: '토큰',
    webhook_delivery: '웹훅 전송',
    webhook_endpoint: '웹훅 엔드포인트',
    write_in_doubt: '결과 미확인 쓰기',
  },
  fields: fieldsKo,
  settings: settingsKo,
  diagrams: diagramsKo,
  site: siteKo,
}
