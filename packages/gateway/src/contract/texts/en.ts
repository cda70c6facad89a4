import type { ErrorCode } from '../error-table.ts'
import { diagramsEn } from './diagrams/en.ts'
import { fieldsEn } from './fields/en.ts'
import { settingsEn } from './settings/en.ts'
import { siteEn } from './site/en.ts'

/**
 * Messages and hints that are more specific than those of an error code. `{placeholders}` are replaced by cleaned
 * values of limited length.
 */
export const sentences = {
  path_unknown: 'There is no {method} {path}.',
  path_no_slash: 'The target of the request must be a path that begins with a slash, without the host.',
  path_fragment: 'The URL has a fragment (#). A fragment is for the client only; leave it out.',
  path_encoding: 'The path is not valid percent-encoded UTF-8.',
  path_empty_segment: 'The path has an empty segment: two slashes in a row, or one at the end. Remove it.',
  path_dot_segment: 'The path has a dot segment.',
  path_character: 'A segment of the path has a slash, a backslash or a NUL.',
  not_whole_number: 'must be a whole number of at most {most} digits',
  not_this_form: 'must have the form that the reference gives',
  want_string: 'must be a string',
  want_number: 'must be a number',
  want_whole: 'must be a whole number',
  want_boolean: 'must be true or false',
  want_list: 'must be a list',
  want_object: 'must be an object',
  characters_least: 'must have {least} or more characters',
  characters_most: 'must have at most {most} characters',
  entries_least: 'must have {least} or more entries',
  entries_most: 'must have at most {most} entries',
  number_least: 'must be at least {least}',
  number_most: 'must be at most {most}',
  one_of_these: 'must be one of: {values}',
  day_form: 'must be a calendar date, such as 2026-11-21',
  day_too_early: 'must be 1970-01-01 or later',
  instant_form: 'must be a time in UTC, such as 2026-11-21T08:30:00.000Z',
  code_form: 'must be in Unicode form NFC, without line breaks, control characters or invisible characters',
  visible_needed: 'must have a visible character',
  words_form: 'must be in Unicode form NFC, without line breaks or other control characters',
  amount_form: 'must be an amount with at most 2 decimals',
  country_form: 'must be a country code of ISO 3166-1 in two capital letters, such as AU or GB',
  key_form: 'must have 1 to 255 visible ASCII characters',
  channel_code_form:
    'must have 1 to 64 letters, digits, dots, underscores and hyphens, and must begin with a letter or a digit',
  method_not_allowed: '{method} is not allowed on {path}. Allowed: {allowed}.',
  legacy_gone: '{path} was retired. Use {replacement} instead.',
  legacy_unknown: 'There is no {path}. Every path of the API begins with /api/v1; {replacement} lists them.',
  body_not_utf8: 'The body is not valid UTF-8.',
  body_not_json: 'The body is not valid JSON.',
  body_too_deep: 'The body is nested more than {most} levels deep.',
  body_duplicate_key: 'The body has the key "{key}" twice in one object.',
  body_forbidden_key: 'The body has the forbidden key "{key}".',
  body_too_large: 'The body is larger than {most} bytes.',
  body_missing: 'The body is empty. Send a JSON object.',
  body_not_object: 'The body is not a JSON object.',
  body_type: 'The `Content-Type` "{type}" is not supported here. Send {expected}.',
  body_encoding: 'The `Content-Encoding` "{encoding}" is not supported here. Send the body unencoded.',
  body_interrupted: 'The connection ended before the whole body arrived.',
  header_twice: 'The header `{name}` was sent more than once.',
  too_many_headers: 'The request has more than {most} headers.',
  url_too_long: 'The URL is longer than {most} characters.',
  headers_too_large: 'The headers are larger than {most} bytes.',
  host_missing: 'The request has no `Host` header.',
  expectation: 'The expectation "{value}" cannot be met.',
  broken_framing: 'The request is not well-formed HTTP, or its method is not known.',
  request_timeout: 'The request did not arrive within {seconds} seconds.',
  query_malformed: 'The query string is not valid percent-encoded UTF-8.',
  parameter_unknown: 'The parameter "{param}" is not known here. Known: {known}.',
  parameter_twice: 'The parameter "{param}" was sent more than once.',
  field_unknown: 'The field "{param}" is not known here. Known: {known}.',
  field_invalid: '`{param}` {problem}.',
  problem_value: '{problem}, not {value}',
  problem_length: '{problem}, not {value}',
  none_of_these: 'is {value}, and must be one of: {values}',
  credentials_in_query:
    'Credentials belong in the body. The gateway does not read `{param}` from the URL. URLs end up in logs, so treat the value as leaked.',
  credentials_missing:
    'The body has no complete credentials. Send `client_id` and `client_secret`, or `username` and `password`, as JSON with `Content-Type: application/json` or as a form.',
  grant_unknown: '`grant_type` "{grant}" is not known. Use `client_credentials` or `password`.',
  token_in_query:
    'A token in the query string is not accepted. Send the header `Authorization: Bearer <ACCESS_TOKEN>`.',
  token_not_bearer: 'The `Authorization` header must have the form `Bearer <ACCESS_TOKEN>`.',
  token_doubled: 'More than one token was sent.',
  token_revoked: 'This token was revoked.',
  all_tokens_of_account:
    'Only a token of an OMS account ends all its tokens. Leave `all` out to end this token alone.',
  session_ended: 'The ERP ended the session behind this token.',
  legacy_token_ended: 'Tokens of the legacy gateway were accepted until {until}.',
  channel_gone: 'The channel of this token no longer exists.',
  channel_paused: 'The operator has paused this channel. Ask your account manager.',
  hint_channel_paused:
    'While the channel is paused, no token is issued or accepted. Ask when the pause ends, and send the same request again then.',
  channel_changed_since:
    'The channel {channel} was changed at {updated_at}, after you read it. Nothing was changed now. Read the channel again, then repeat your change.',
  pause_changed_since:
    'Writes were paused again at {paused_at}, after you read the pause. Nothing was changed now. Read the new pause, then repeat your change.',
  capability_missing: 'This call requires the capability `{capability}`. The plan {plan} does not have it.',
  capability_account:
    'This call requires the capability `{capability}`. The OMS account {account} does not have it.',
  switched_off: '{what} is switched off for this channel.',
  warehouse_unknown: 'There is no warehouse "{warehouse}". Known warehouses: {known}.',
  warehouse_denied:
    'The warehouse {warehouse} is not on the allowlist of this channel. Allowed warehouses: {allowed}.',
  warehouse_filling: 'The gateway is reading the stock of {warehouse} from the ERP for the first time.',
  warehouses_filling: 'The gateway is reading the warehouses from the ERP for the first time.',
  products_filling: 'The gateway is reading the products from the ERP for the first time.',
  shipping_methods_filling: 'The gateway is reading the shipping methods from the ERP for the first time.',
  customer_filling:
    'The gateway is reading the customer’s addresses and catalogue from the ERP for the first time.',
  points_used:
    'Points that this call costs: {cost}. Points left after the calls of the last 60 seconds: {remaining} of {limit}.',
  tokens_too_many: 'More than {most} tokens were requested in the last 60 seconds.',
  locked_until: 'Too many wrong passwords. Sign-in for this name is locked for another {seconds} s.',
  locked_address: 'Too many failed sign-ins from this IP address. Wait {seconds} s.',
  refusals_address: 'Too many requests without a valid token came from this IP address. Wait {seconds} s.',
  admin_tries: 'Too many wrong admin tokens. Wait {seconds} s.',
  admin_tries_hint: 'Compare the token with the server setting `ADMIN_TOKEN`.',
  metrics_tries: 'Too many wrong metrics tokens. Wait {seconds} s.',
  metrics_tries_hint: 'Compare the token with the server setting `METRICS_TOKEN`.',
  metrics_token: 'The metrics token is missing or wrong.',
  hint_metrics_token:
    'Send the server setting `METRICS_TOKEN` as a bearer token, or the admin token in `x-admin-token`.',
  metrics_closed: 'The metrics are disabled on this server.',
  hint_metrics_closed: 'Set `METRICS_TOKEN` on the server and restart it.',
  sign_in_unavailable: 'The ERP cannot check passwords at the moment.',
  sku_unknown: 'There is no SKU "{sku}".',
  style_unknown: 'There is no style "{style}".',
  thing_unknown: 'There is no {what} "{id}".',
  error_unknown: 'There is no error code "{code}".',
  key_invalid: 'An `Idempotency-Key` must have 1 to 255 visible ASCII characters and must be sent once.',
  period_reversed: '`since` {since} is not before `until` {until}.',
  range_reversed: '`start_date` {start} is after `end_date` {end}.',
  start_after_today:
    '`start_date` {start} is after {end}. `end_date` is today by default, or the day of `as_of`.',
  range_too_long: 'The period from {start} to {end} is longer than {most} days.',
  currency_unknown: 'The ERP keeps no account of this customer in {currency}.',
  currency_form: 'must be a currency code of ISO 4217, such as AUD',
  plan_pending: 'A request for the plan {plan} is already pending.',
  plan_present: 'The channel already has the plan {plan}.',
  plan_decided: 'This request was already decided: {status}.',
  channel_code_taken:
    'The channel "{channel}" already exists, or it was deleted. A code is not issued again.',
  customer_taken: 'The customer {customer} already belongs to the channel {channel}.',
  secrets_too_many: 'A channel has at most {most} secrets. Delete one first.',
  erp_rejected: 'The ERP did not accept this request: {reason}',
  erp_unreachable: 'The ERP cannot be reached. Nothing was sent to the ERP.',
  erp_busy:
    'The ERP is busy with other calls, and the turn of this write did not come in time. Nothing was sent to the ERP.',
  write_too_late:
    'The gateway is overloaded and could not send this write in time. Nothing was sent to the ERP.',
  lock_lost:
    'The gateway lost its connection to the database before it could send this write. Nothing was sent to the ERP.',
  outcome_unknown:
    'The gateway sent this write to the ERP, and no response arrived. The outcome is not known yet. Retry with the SAME `Idempotency-Key`.',
  outcome_unknown_keyless:
    'The gateway sent this write to the ERP, and no response arrived. The outcome is not known yet.',
  document_in_doubt:
    'The outcome of an earlier write on {id} is not known yet. The gateway is looking it up. Retry with the key of that write.',
  no_preview_any_more: '{id} was submitted and no longer holds stock. Void the order instead.',
  not_in_state: '{id} is {status}. This call requires the status {needed}.',
  recipient_of_open_order:
    '{id} is {status}. Its recipient can be erased once the order is shipped, cancelled or intercepted, and no write on it is open.',
  hold_of_order:
    'The hold {id} belongs to the order {order}. The hold ends when the order is submitted or voided.',
  not_at_erp: 'The ERP has no document {reference} for {id}.',
  is_at_erp: 'The ERP has the document of the write on {id}. Settle the write as found.',
  not_done_at_erp:
    'The ERP has {id} in the status {status}, which does not show that {kind} took effect. Settle the write as absent.',
  sandbox_only: 'The sandbox controls exist only with the built-in ERP.',
  key_in_doubt:
    'The gateway is looking up the outcome of an earlier request with this `Idempotency-Key` at the ERP.',
  field_needed: 'is required here',
  not_with_order_id: 'cannot be combined with `order_id`',
  sku_twice: 'is already on an earlier line; combine the quantities',
  hint_insufficient_stock:
    'Order at most `error.shortages[].quantity_available`, or send `allow_partial` with a wholesale order. The preview shows incoming stock. Nothing was created.',
  hint_insufficient_balance:
    'Add funds, or choose another `payment_method` for a wholesale order. Nothing was created.',
  hint_already_shipped:
    'The order has left the warehouse and can no longer be voided. Arrange a return. Nothing was changed.',
  hint_already_cancelled: 'The document is cancelled, and this is final. Create a new document.',
  hint_hold_expired:
    'The stock is no longer held. Preview again, or submit without `dropship_order_id`. Nothing was created.',
  hint_reservation_over: 'Create a new reservation, or order without one. Nothing was created.',
  hint_price_changed: 'Preview again, accept the new total, and submit. Nothing was created.',
  hint_max_total:
    'The total is above `max_total`. Send a higher `max_total`, or null for no limit. Nothing was created.',
  hint_invalid_state:
    'The message says why this is not possible now. If it concerns a document, read the document. Nothing was changed.',
  hint_upstream_unknown:
    'The outcome at the ERP is not known. Retry with the SAME `Idempotency-Key` after `Retry-After`. `GET /api/v1/idempotency-keys` shows the state of the key.',
  hint_upstream_unknown_keyless:
    'The outcome at the ERP is not known, and no `Idempotency-Key` was sent. Look the document up by its id or `client_order_number` until `in_doubt` is false. Then send only what is missing, with a key.',
  hint_duplicate_unknown:
    'Retry with the `Idempotency-Key` of the first submit, or read the order in `error.duplicate_of` until `in_doubt` is false. Another `client_order_number` could create a second parcel.',
  hint_too_many_holds: 'Submit or release a live one, or wait until one expires. Nothing was created.',
  hint_sku_blocked:
    'Leave this SKU out. `sellable` in `GET /api/v1/products` shows what the account may order. Nothing was created.',
  hint_sku_unknown: 'Check the SKU or style code. Codes are compared byte by byte, case included.',
  hint_error_unknown: '`GET /api/v1/errors` lists every error code.',
  hint_sandbox_only: 'Start the gateway without `UPSTREAM_URL` to use the built-in ERP.',
  hint_endpoints_too_many:
    'Delete one of the {most} with `DELETE /api/v1/webhook-endpoints/<endpoint_id>`, or change it with PATCH. Nothing was created.',
  hint_endpoint_deleted:
    'Read the event with `GET /api/v1/events/<event_id>`, and register a webhook endpoint for future events. Nothing was sent.',
  sku_blocked: 'The SKU {sku} is not in the catalogue that this account may order from.',
  lines_most: 'The ERP takes at most {most} lines in one order; this one has {count}.',
  shipping_not_served: 'The shipping method {method} does not serve {warehouses}.',
  cart_empty: 'The cart {id} is empty.',
  preview_not_live: 'The preview {id} has ended, or it has another order number or SKU.',
  differs_from_preview: '`{param}` differs from the preview {id}. A submit must repeat its preview.',
  hold_over: 'The stock of the preview {id} is no longer held. Preview again.',
  reservation_over:
    'The reservation {id} ended at {until}: its stock is no longer held. The gateway did not call the ERP.',
  too_many_live: 'At most {most} may be live at once. Submit or release one first.',
  number_taken: 'The order number {number} is already used by another order of {sku} for another recipient.',
  duplicate: 'The order number {number} was submitted for the same recipient and SKU a moment ago: {id}.',
  duplicate_unknown:
    'The order number {number} was submitted before for the same recipient and SKU: {id}. The outcome of that submit is not known yet.',
  overloaded: 'The gateway is overloaded and did not begin this request.',
  url_form:
    'This is not a URL that the gateway can call. Use https:// and at most {most} visible ASCII characters.',
  url_scheme: 'The gateway calls only https URLs.',
  url_credentials:
    'A webhook URL must not contain a user name or password. The signature proves who sends the event.',
  url_fragment: 'A fragment (#) never reaches a receiver. Leave it out.',
  url_port: 'The gateway calls only the ports 443 and 8443.',
  url_not_public: 'The gateway calls only public addresses, and this address is not public.',
  url_own: 'The gateway does not call its own hosts.',
  inbox_name:
    'The name of a sandbox inbox has 1 to 64 characters: letters A to Z and a to z, digits, _ and -.',
  endpoints_too_many: 'A channel has at most {most} webhook endpoints. Delete one first.',
  rotations_too_many:
    'The webhook endpoint {id} signs with {most} secrets, as many as it may have. The oldest ends at {until}. Rotate again from then on.',
  redelivery_busy: 'Another call redelivers the same selection at the moment. This call did nothing.',
  redelivery_grew: 'The redelivery would send more than expected: {count}, not {expected}.',
  hint_redelivery_grew: 'Confirm `error.count`, and send that number as `expected_count`. Nothing was sent.',
  endpoint_deleted: 'The webhook endpoint {id} was deleted. The gateway sends nothing to it.',
  cursor_foreign:
    '`cursor` does not continue this list: it was changed, or it belongs to another list, channel or filter.',
  hint_cursor_foreign:
    'Send `next_cursor` unchanged, with the same path, filters and channel as the page that it came with. `page_size` may differ. To begin again, leave `cursor` out.',
  cursor_and_page:
    '`page` is {page}, and `cursor` says already where the page begins. Send only one of the two.',
  cursor_and_as_of:
    '`as_of` is {as_of}, but the list of `cursor` is as of {of_cursor}. Leave `as_of` out, or begin again without `cursor`.',
  cursor_gone: 'The event "{id}" does not exist or is no longer kept.',
  hint_cursor_gone: 'Read from the start, without `since`, and skip every `event_id` that you already have.',
  storage_full: 'The disk of the gateway’s database is full, so nothing can be written. Nothing was done.',
  storage_unavailable: 'The gateway’s database does not respond. Nothing was done.',
  commit_unknown: 'The gateway’s database did not confirm this write. The outcome is not known yet.',
  hint_commit_unknown_keyless:
    'No `Idempotency-Key` was sent. Wait for the seconds of `Retry-After` and look at the list of these documents. Then send only what is missing, with a key.',
  hint_storage:
    'Wait for the seconds of `Retry-After`. Then retry, with the same `Idempotency-Key` if you sent one.',
  writes_paused: 'An operator has paused writes to the ERP until {until}.',
  hint_writes_paused:
    'Wait for the seconds of `Retry-After` and retry. The refused call changed nothing. Reads work normally.',
  backup_elsewhere:
    'The database of this gateway is not an embedded one. Run `npm run backup`, which reads PostgreSQL with `pg_dump`.',
  backup_failed: 'The database was not copied: {reason}',
  stopping: 'The gateway is stopping. Send requests to another process.',
  copy_behind:
    'The copy of this process is older than what the request names, and did not reach it within a second.',
  hint_copy_behind: 'Wait for the seconds of `Retry-After` and send the same request again.',
  not_ready:
    'The gateway is not ready: its store does not respond, or the stock is being read for the first time.',
  origin_foreign: 'Pages of {origin} may not call this endpoint.',
  one_of: 'Send one of these fields: {fields}.',
  action_renamed: 'The tool {name} was renamed.',
  hint_action_renamed: 'Call {now}. The list of tools shows its arguments.',
  endpoint_out_of_reach:
    '{method} {path} cannot be called here. Only plain paths under /api/v1 can be called, and not the token endpoint, because credentials do not belong in a model’s context.',
  answer_too_large:
    'The response has {size} bytes, and at most {most} are passed on. Request a page of it (`page_size`).',
  statement_too_long: 'In these days the list has more than {most} rows. Request fewer days.',
  quote_invalid:
    'This `quote_id` was not issued to this account for this action, or the quoted document has changed.',
  quote_expired: 'This quote has expired.',
  quote_used: 'This quote is used up: its document was released, cancelled, or placed in another form.',
  total_differs: '`confirm_total` {confirmed} is not the quoted total, {total} {currency}.',
  hint_switched_off:
    'The operator has switched this off for the channel, and another plan does not change that. Ask the operator. Nothing was created.',
  hint_quote_again:
    'Make a new quote, show the user its total, and place the new quote. Nothing was created.',
  hint_quote_less: 'Make a new quote, which shows what is available now. Nothing was created.',
  hint_quote_alternatives:
    'Make a new quote for at most the quantities in `alternatives`; those without `earliest_date` are available now. A short SKU that is not listed there has no stock. Nothing was ordered.',
  hint_quote_used: 'Read the document, or make a new quote. Nothing was created.',
  hint_call_again:
    'The outcome is not known yet. Call the same tool again with the same arguments after `retry_after`. The gateway looks the outcome up and never does the work twice.',
  reader_gone: 'The caller has disconnected. Nothing more was requested.',
  call_running: 'The same call is still running, or its outcome is being looked up at the ERP.',
  hint_call_later: 'Call the same tool again after `retry_after`.',
  hint_destination_not_served:
    'This shipping method does not serve this country. Choose another shipping method or another address.',
} as const

/** The nouns for objects, for example in the sentence that an object does not exist. */
export const things = {
  address: 'address',
  cart: 'cart',
  channel: 'channel',
  dropship_order: 'drop-ship order',
  event: 'event',
  hold: 'hold',
  inbox: 'inbox',
  lockout: 'lock of a username',
  order: 'order',
  plan_request: 'plan request',
  audit_row: 'row of the audit log',
  request: 'request',
  reservation: 'reservation',
  secret: 'client secret',
  shipment: 'shipment',
  shipping_method: 'shipping method',
  token: 'token',
  webhook_delivery: 'webhook delivery',
  webhook_endpoint: 'webhook endpoint',
  write_in_doubt: 'write with an unknown outcome',
} as const

export type Thing = keyof typeof things
export type SentenceId = keyof typeof sentences

export function isSentenceId(word: string): word is SentenceId {
  return Object.hasOwn(sentences, word)
}

/** The texts about an error code. */
export interface ErrorText {
  readonly title: string
  readonly message: string
  /** The next step, in the imperative. */
  readonly hint: string
  /** When the error occurs, for its page. */
  readonly when: string
}

export const en = {
  sentences,
  errors: {
    AUTH_MISSING_TOKEN: {
      title: 'No access token',
      message: 'No access token was sent.',
      hint: 'Send the header `Authorization: Bearer <ACCESS_TOKEN>`. Get a token from `POST /api/v1/auth/token`.',
      when: 'The request has no `Authorization` header with a bearer token. A token in the query string is not read.',
    },
    AUTH_INVALID_TOKEN: {
      title: 'Access token not accepted',
      message: 'The access token is malformed, wrongly signed or revoked.',
      hint: 'Get a new token from `POST /api/v1/auth/token`.',
      when: 'This gateway did not issue the token, or the token was altered or revoked. Legacy tokens get this code after the last day on which they are accepted.',
    },
    AUTH_EXPIRED: {
      title: 'Access token expired',
      message: 'The access token has expired.',
      hint: 'Get a new token from `POST /api/v1/auth/token`, shortly before the old one expires.',
      when: 'The lifetime of the token has ended, or the session in the ERP behind the token has ended.',
    },
    SCOPE_DENIED: {
      title: 'Capability missing',
      message: 'The channel’s plan does not include this call.',
      hint: 'Request the plan named in `error.required_plan` with `POST /api/v1/plan-requests`.',
      when: 'The endpoint requires a capability that the channel’s plan or the OMS account does not have, or a switch of the channel is off.',
    },
    WAREHOUSE_DENIED: {
      title: 'Warehouse not allowed',
      message: 'This warehouse is not on the channel’s allowlist.',
      hint: 'Use a warehouse from `GET /api/v1/warehouses`. Or ask the account manager to add this warehouse to the list, or to clear the list.',
      when: 'The channel has a list of allowed warehouses, and the requested warehouse is not on it.',
    },
    AUTHZ_UNAVAILABLE: {
      title: 'Authorisation unavailable',
      message: 'Permissions cannot be checked at the moment.',
      hint: 'Retry after the time in `Retry-After`. If the error persists, contact the account manager with the request id.',
      when: 'The store of permissions or the ERP’s sign-in does not respond. The gateway never lets a call pass unchecked.',
    },
    VALIDATION_FAILED: {
      title: 'Invalid parameter',
      message: 'A parameter is invalid.',
      hint: 'Correct the field named in `error.param`. Nothing was done.',
      when: 'A path, query or body field has the wrong type, is out of range, is missing, or is not known.',
    },
    NOT_FOUND: {
      title: 'Not found',
      message: 'The requested resource does not exist.',
      hint: 'Send the id exactly as the gateway returned it, case included. The list endpoints show what exists.',
      when: 'A product code, a SKU or a document id does not exist.',
    },
    OWNERSHIP_DENIED: {
      title: 'Another channel’s document',
      message: 'This document belongs to another channel.',
      hint: 'Use the documents of your own channel. The list endpoints show them all.',
      when: 'The document exists, but another channel created it.',
    },
    UPSTREAM_ERROR: {
      title: 'ERP failure',
      message: 'The ERP failed to respond.',
      hint: 'Retry after the time in `Retry-After`. Retry a write with the SAME `Idempotency-Key`.',
      when: 'The ERP returned a failure or cannot be reached. The outcome of a write is not known until the write is retried with the same key.',
    },
    UPSTREAM_TIMEOUT: {
      title: 'ERP too slow',
      message: 'The ERP did not respond in time.',
      hint: 'Retry after the time in `Retry-After`. Retry a write with the SAME `Idempotency-Key`.',
      when: 'The ERP is slow or unreachable. The outcome of a write is not known until the write is retried with the same key.',
    },
    INTERNAL: {
      title: 'Gateway failure',
      message: 'The gateway failed.',
      hint: 'Contact support and quote the request id.',
      when: 'An unexpected failure happened inside the gateway, or the gateway is overloaded (503).',
    },
    ADMIN_UNAUTHORIZED: {
      title: 'Admin token wrong',
      message: 'The header `x-admin-token` is missing or wrong.',
      hint: 'Send the value of the server setting `ADMIN_TOKEN` in `x-admin-token`.',
      when: 'A request to `/admin/api` carried no admin token, or a token that is not the server’s.',
    },
    ADMIN_DISABLED: {
      title: 'Admin console disabled',
      message: 'The admin console is disabled on this server.',
      hint: 'Set `ADMIN_TOKEN` on the server and restart it.',
      when: 'The server setting `ADMIN_TOKEN` is not set.',
    },
    IDEMPOTENCY_IN_PROGRESS: {
      title: 'Same key still running',
      message: 'A request with this `Idempotency-Key` is still running.',
      hint: 'Retry with the SAME key after the time in `Retry-After`.',
      when: 'An earlier request with the key has not ended, or its outcome at the ERP is still being looked up.',
    },
    IDEMPOTENCY_MISMATCH: {
      title: 'Key used for something else',
      message: 'This `Idempotency-Key` was used before with different content.',
      hint: 'Use a new key for each business operation, and the same key only for its retries.',
      when: 'The key belongs to a request with another body or other parameters.',
    },
    IDEMPOTENCY_INVALID_KEY: {
      title: 'Invalid Idempotency-Key',
      message: 'The `Idempotency-Key` is not valid.',
      hint: 'Use 1 to 255 visible ASCII characters, for example a UUID, and send the header once.',
      when: 'The key is empty, longer than 255 characters, has other than visible ASCII characters, or was sent twice.',
    },
    RATE_LIMITED: {
      title: 'Points used up',
      message: 'The channel has used up its points for the last 60 seconds.',
      hint: 'Wait for the seconds in `Retry-After`. The change feed costs less than full pulls. The account manager can raise the quota.',
      when: 'The call costs more points than the channel’s quota has left. A refused call costs nothing.',
    },
    BAD_REQUEST: {
      title: 'Malformed request',
      message: 'The request is malformed.',
      hint: 'Compare method, path, headers and body with the reference.',
      when: 'The method or path is wrong, the body is not readable, or the HTTP is broken.',
    },
    READ_ONLY_MODE: {
      title: 'Read-only environment',
      message: 'This environment refuses writes to the ERP.',
      hint: 'Use the production environment. Reads work normally here.',
      when: 'The server runs with `WRITES_ENABLED=0`, or an operator has paused writes. A pause has `Retry-After`.',
    },
    ENDPOINT_GONE: {
      title: 'Legacy path retired',
      message: 'This legacy path was retired.',
      hint: 'Use the path in `error.replacement`. All endpoints are under /api/v1.',
      when: 'The path belongs to the legacy gateway (`/Api/*`).',
    },
    WAREHOUSE_UNKNOWN: {
      title: 'Unknown warehouse',
      message: 'There is no such warehouse.',
      hint: 'Use a code from `GET /api/v1/warehouses`. Codes are case-sensitive, and old aliases no longer exist.',
      when: 'The code is not one of AU, AUSYD2, AUSYD1, CN, CHNZJ1.',
    },
    UPSTREAM_REJECTED: {
      title: 'ERP refused',
      message: 'The ERP did not accept the request.',
      hint: 'The reason is in `error.message` and `error.reason`. Correct the request and send it again. Nothing was created.',
      when: 'The stock is insufficient, an id is unknown, the ERP does not accept a field, or the document’s state does not allow the call. For an unsuitable state, the gateway does not always call the ERP.',
    },
    AUTH_BAD_CREDENTIALS: {
      title: 'Wrong credentials',
      message: 'The credentials are wrong.',
      hint: 'Check `client_id` and `client_secret`, or `username` and `password`. The operator issues a new secret when one is lost.',
      when: 'The client id or secret, or the OMS name or password, is wrong, or the account belongs to no channel.',
    },
    AUTH_LOCKED: {
      title: 'Sign-in locked',
      message: 'Sign-in is locked after repeated wrong passwords.',
      hint: 'Wait for the seconds in `Retry-After`. Tokens that were issued before keep working.',
      when: 'Five wrong passwords within 15 minutes lock an OMS account for 15 minutes. 100 failures an hour lock an IP address.',
    },
    DUPLICATE_SUSPECTED: {
      title: 'Possible duplicate',
      message: 'The same recipient and SKU were ordered a moment ago.',
      hint: 'If the second order is intended, send another `client_order_number`, or retry after `error.window_ends_at`.',
      when: 'A drop-ship order with the same `client_order_number`, SKU and recipient was submitted shortly before.',
    },
    OMS_LOGIN_REQUIRED: {
      title: 'OMS sign-in required',
      message: 'This endpoint requires a token of an OMS account.',
      hint: 'Get a token with `grant_type=password`. Allocation rules follow the OMS account.',
      when: 'The call creates an order and carries a token of the channel grant.',
    },
    SHIPPING_REQUIRED: {
      title: 'Shipping missing',
      message: 'The wholesale order has no shipping method, or no address for a delivery.',
      hint: 'Send `shipping.shipping_method_id` (`GET /api/v1/shipping-methods`) and, for a delivery, `shipping.address_id` (`GET /api/v1/addresses`). Or set defaults on the OMS website under User, then Preferences.',
      when: 'The request previews or submits a wholesale order without shipping information.',
    },
  } satisfies Readonly<Record<ErrorCode, ErrorText>>,
  things,
  fields: fieldsEn,
  settings: settingsEn,
  diagrams: diagramsEn,
  site: siteEn,
}
