import { fieldsEn } from './fields/en.ts'
import { settingsEn } from './settings/en.ts'
import { siteEn } from './site/en.ts'
import type { Texts } from './texts.ts'

/** Sentences that are more exact than a code's own. `{placeholders}` are filled with bounded, cleaned values. */
export const sentences = {
  path_unknown: 'There is no {method} {path}.',
  path_no_slash: 'The path does not begin with a slash.',
  path_fragment: 'The URL has a fragment (#), which belongs to the client alone.',
  path_encoding: 'The path is not valid percent-encoded UTF-8.',
  path_empty_segment: 'The path has an empty segment.',
  path_dot_segment: 'The path has a dot segment.',
  path_character: 'A segment of the path has a slash, a backslash or a NUL.',
  not_whole_number: 'is a whole number in at most {most} digits',
  not_this_form: 'does not have the form that the reference gives',
  want_string: 'is a string',
  want_number: 'is a number',
  want_whole: 'is a whole number',
  want_boolean: 'is true or false',
  want_list: 'is a list',
  want_object: 'is an object',
  characters_least: 'has {least} or more characters',
  characters_most: 'has at most {most} characters',
  entries_least: 'has {least} or more entries',
  entries_most: 'has at most {most} entries',
  number_least: 'is {least} or more',
  number_most: 'is {most} or less',
  one_of_these: 'is one of: {values}',
  day_form: 'is a day of the calendar, such as 2026-11-21',
  day_too_early: 'is 1970-01-01 or later',
  instant_form: 'is a time in UTC, such as 2026-11-21T08:30:00.000Z',
  code_form: 'has no line breaks, control characters or invisible characters, and is in Unicode form NFC',
  words_form: 'has no line breaks or other control characters, and is in Unicode form NFC',
  amount_form: 'is an amount with at most 2 decimals',
  country_form: 'is a country code of ISO 3166-1 in two capital letters, such as AU',
  key_form: 'has 1 to 255 visible ASCII characters',
  channel_code_form: 'has 1 to 64 letters, digits, dots, _ and -, and begins with a letter or a digit',
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
  body_type: 'The Content-Type "{type}" is not read here. Send {expected}.',
  body_encoding: 'The Content-Encoding "{encoding}" is not read here. Send the body as it is.',
  body_interrupted: 'The body ended before it was whole.',
  header_twice: 'The header {name} was sent more than once.',
  too_many_headers: 'The request has more than {most} headers.',
  url_too_long: 'The URL is longer than {most} characters.',
  headers_too_large: 'The headers are larger than {most} bytes.',
  host_missing: 'The request has no Host header.',
  expectation: 'The expectation "{value}" cannot be met.',
  broken_framing: 'The request is not well-formed HTTP.',
  request_timeout: 'The request did not arrive within {seconds} seconds.',
  query_malformed: 'The query string is not valid percent-encoded UTF-8.',
  parameter_unknown: 'The parameter "{param}" is not known here.',
  parameter_twice: 'The parameter "{param}" was sent more than once.',
  field_unknown: 'The field "{param}" is not known here.',
  field_invalid: '{param}: {problem}',
  credentials_in_query:
    'Credentials belong in the body. "{param}" in the URL is not read, and URLs end up in logs: treat the value as leaked.',
  credentials_missing:
    'No complete credentials were found in the body. Send client_id and client_secret, or username and password, as JSON with Content-Type: application/json, or as a form.',
  grant_unknown: 'grant_type "{grant}" is not known. Use client_credentials or password.',
  token_in_query:
    'A token in the query string is not accepted. Send the header Authorization: Bearer <ACCESS_TOKEN>.',
  token_not_bearer: 'The Authorization header is not of the form Bearer <ACCESS_TOKEN>.',
  token_doubled: 'More than one token was sent.',
  token_revoked: 'This token was revoked.',
  session_ended: 'The ERP ended the session behind this token.',
  legacy_token_ended: 'Tokens of the legacy gateway were accepted until {until}.',
  channel_gone: 'The channel of this token no longer exists.',
  capability_missing: 'This needs the capability {capability}; the plan {plan} does not have it.',
  capability_account: 'This needs the capability {capability}; the OMS account {account} does not have it.',
  switched_off: '{what} is switched off for this channel.',
  warehouse_unknown: 'There is no warehouse "{warehouse}". Known: {known}.',
  warehouse_denied: 'The warehouse {warehouse} is not on the allowlist of this channel. Allowed: {allowed}.',
  warehouse_filling: 'The stock of {warehouse} is being read from the ERP for the first time.',
  warehouses_filling: 'The warehouses are being read from the ERP for the first time.',
  products_filling: 'The products are being read from the ERP for the first time.',
  points_used: 'This call costs {cost} points; {remaining} of {limit} are left in this minute.',
  tokens_too_many: 'More than {most} tokens a minute were asked for.',
  locked_until: 'Too many wrong passwords. Sign-in for this name is locked for {seconds} more seconds.',
  locked_address: 'Too many failed sign-ins from this IP address. Wait {seconds} seconds.',
  sign_in_unavailable: 'The ERP cannot check passwords at the moment.',
  sku_unknown: 'There is no SKU "{sku}".',
  style_unknown: 'There is no style "{style}".',
  thing_unknown: 'There is no {what} "{id}".',
  error_unknown: 'There is no error code "{code}".',
  key_invalid: 'An Idempotency-Key has 1 to 255 visible ASCII characters and is sent once.',
  range_reversed: 'start_date {start} is after end_date {end}.',
  range_too_long: 'The span from {start} to {end} is longer than {most} days.',
  currency_unknown: 'The ERP keeps no account of this customer in {currency}.',
  currency_form: 'is a currency code of ISO 4217, such as AUD',
  plan_pending: 'A request for the plan {plan} is pending already.',
  plan_present: 'The channel has the plan {plan} already.',
  plan_decided: 'This request was decided already: {status}.',
  channel_code_taken: 'There is a channel "{channel}" already, or there was one.',
  customer_taken: 'The customer {customer} belongs to the channel {channel} already.',
  secrets_too_many: 'A channel has at most {most} secrets. Delete one first.',
  erp_rejected: 'The ERP did not accept this: {reason}',
  erp_unreachable: 'The ERP cannot be reached; nothing was sent to it.',
  outcome_unknown:
    'The ERP was asked and its answer did not arrive: whether it did this is not known yet. Retry with the SAME Idempotency-Key.',
  outcome_unknown_keyless:
    'The ERP was asked and its answer did not arrive: whether it did this is not known yet.',
  document_in_doubt:
    'An earlier write on {id} has no known outcome yet; the gateway is looking it up. Retry with the key of that write.',
  no_preview_any_more: '{id} was submitted and holds nothing any more. Void the order instead.',
  not_in_state: '{id} is {status}; this needs it to be {needed}.',
  hold_of_order: 'The hold {id} belongs to the order {order}; it goes with its submit or its void.',
  not_at_erp: 'The ERP has no document {reference} for {id}.',
  not_done_at_erp:
    'The ERP has {id} in the status {status}, which does not show that {kind} took effect. Settle it as absent.',
  sandbox_only: 'The sandbox controls exist only in front of the built-in ERP.',
  key_in_doubt: 'The outcome of an earlier request with this Idempotency-Key is being looked up at the ERP.',
  field_needed: 'is needed here',
  sku_twice: 'stands on an earlier line already; put the quantities together',
  hint_insufficient_stock:
    'Order at most error.shortages[].quantity_available, or send allow_partial with a wholesale order; the preview tells what is under way. Nothing was created.',
  hint_insufficient_balance: 'Pay in, or choose another payment_method. Nothing was created.',
  hint_already_shipped:
    'It has left the warehouse and can no longer be voided; arrange a return. Nothing was changed.',
  hint_already_cancelled: 'It is cancelled for good. Make a new document.',
  hint_hold_expired:
    'Its stock is no longer held. Preview again, or submit without dropship_order_id. Nothing was created.',
  hint_reservation_over: 'Make a new reservation, or order without one. Nothing was created.',
  hint_price_changed: 'Preview again, accept the new total, and submit. Nothing was created.',
  hint_invalid_state: 'Read the document: its status does not allow this. Nothing was changed.',
  hint_upstream_unknown:
    'It is not known whether the ERP did this. Retry with the SAME Idempotency-Key after Retry-After; GET /api/v1/idempotency-keys tells how it stands.',
  hint_upstream_unknown_keyless:
    'It is not known whether the ERP did this, and no Idempotency-Key was sent. Look the document up first, by its id or client_order_number, until it is no longer in_doubt; send again only what is not there, with a key.',
  hint_too_many_holds: 'Submit or release a live one, or wait until one expires. Nothing was created.',
  hint_sku_blocked:
    'Leave this SKU out; GET /api/v1/products tells by sellable what the account may order. Nothing was created.',
  hint_sku_unknown: 'Check the SKU or style code; they are compared byte by byte, case included.',
  hint_error_unknown: 'GET /api/v1/errors lists every error code.',
  hint_sandbox_only: 'Start the gateway without UPSTREAM_URL to have the built-in ERP.',
  hint_endpoints_too_many:
    'Delete one of the {most} with DELETE /api/v1/webhook-endpoints/<endpoint_id>, or change it with PATCH. Nothing was created.',
  hint_endpoint_deleted:
    'Read the event with GET /api/v1/events/<event_id>, and register a webhook endpoint for those to come. Nothing was sent.',
  sku_blocked: 'The SKU {sku} is not in the catalogue that this account may order from.',
  shipping_not_served: 'The shipping method {method} does not serve {warehouses}.',
  cart_empty: 'The cart {id} is empty.',
  preview_not_live: 'The preview {id} is over or has another order number or SKU.',
  differs_from_preview: '{param} differs from the preview {id}; a submit repeats its preview.',
  hold_over: 'The stock of the preview {id} is no longer held. Preview again.',
  reservation_over:
    'The reservation {id} was over at {until}: its stock is no longer held. The ERP was not asked.',
  too_many_live: 'At most {most} may be live at once. Submit or release one first.',
  number_taken: 'The order number {number} stands on another order of {sku} for another recipient.',
  duplicate: 'The order number {number} was submitted for the same recipient and SKU a moment ago: {id}.',
  overloaded: 'The gateway is overloaded and did not begin this request.',
  url_form:
    'This is not a URL that can be called: https://, visible ASCII characters, at most {most} of them.',
  url_scheme: 'Only https is called.',
  url_credentials: 'A webhook URL carries no user name or password; the signature proves who sends.',
  url_fragment: 'A fragment (#) never reaches a receiver. Leave it out.',
  url_port: 'Only the ports 443 and 8443 are called.',
  url_not_public: 'Only public addresses are called, and this one is not.',
  url_own: 'The gateway does not call the hosts that it stands on itself.',
  inbox_name:
    'The name of a sandbox inbox has 1 to 64 characters: letters A to Z and a to z, digits, _ and -.',
  endpoints_too_many: 'A channel has at most {most} webhook endpoints. Delete one first.',
  endpoint_deleted: 'The webhook endpoint {id} was deleted; nothing is sent to it any more.',
  cursor_gone:
    'The event "{id}" is not kept (any more). Read from the start, without since, and leave out what you know by its event_id.',
  not_ready:
    'The gateway is not ready: its store does not answer, or the stock is being read for the first time.',
  origin_foreign: 'Pages of {origin} may not call this endpoint.',
  one_of: 'Pass one of these: {fields}.',
  action_renamed: 'The tool {name} was renamed.',
  hint_action_renamed: 'Call {now}. The list of tools has its arguments.',
  endpoint_out_of_reach:
    '{method} {path} is out of reach here: only plain paths under /api/v1 can be called, and not the token endpoint, because credentials do not belong in a model’s context.',
  answer_too_large:
    'The answer has {size} bytes; at most {most} are handed on. Ask for a page of it (page_size).',
  quote_invalid:
    'This quote_id is not one that was given to this account for this, or what it quoted has changed.',
  quote_expired: 'This quote has expired.',
  quote_used: 'This quote is used up: what it quoted was released, cancelled, or placed as something else.',
  total_differs: 'confirm_total {confirmed} is not the quoted total, {total} {currency}.',
  hint_switched_off:
    'The operator has switched this off for the channel, and another plan does not change that: ask the operator. Nothing was created.',
  hint_quote_again: 'Make a new quote, show the user its total, and place that one. Nothing was created.',
  hint_quote_used: 'Look at the document, or make a new quote. Nothing was created.',
  hint_call_again:
    'It is not known yet whether this was done. Call the same tool again with the same arguments after retry_after; it finds out and never does it twice.',
  reader_gone: 'Whoever asked has left; nothing more was asked.',
  call_running: 'The same call is still running, or its outcome is being looked up at the ERP.',
  hint_call_later: 'Call the same tool again after retry_after.',
  hint_destination_not_served:
    'Nothing is sent to this country with this shipping method; choose another one or another address.',
} as const

/** What a sentence can say that there is none of. */
export const things = {
  address: 'address',
  cart: 'cart',
  channel: 'channel',
  dropship_order: 'drop-ship order',
  event: 'event',
  hold: 'hold',
  inbox: 'inbox',
  order: 'order',
  plan_request: 'plan request',
  reservation: 'reservation',
  secret: 'client secret',
  shipment: 'shipment',
  shipping_method: 'shipping method',
  webhook_delivery: 'webhook delivery',
  webhook_endpoint: 'webhook endpoint',
  write_in_doubt: 'write in doubt',
} as const

export type Thing = keyof typeof things
export type SentenceId = keyof typeof sentences

export function isSentenceId(word: string): word is SentenceId {
  return Object.hasOwn(sentences, word)
}

export const en: Texts = {
  sentences,
  errors: {
    AUTH_MISSING_TOKEN: {
      title: 'No access token',
      message: 'No access token was sent.',
      hint: 'Send the header Authorization: Bearer <ACCESS_TOKEN>. Tokens come from POST /api/v1/auth/token.',
      when: 'The request has no Authorization header with a bearer token. A token in the query string is not read.',
    },
    AUTH_INVALID_TOKEN: {
      title: 'Access token not accepted',
      message: 'The access token is malformed, wrongly signed or revoked.',
      hint: 'Fetch a new token from POST /api/v1/auth/token.',
      when: 'The token was not issued by this gateway, was changed on its way, was revoked, or is a legacy token after the end of their acceptance.',
    },
    AUTH_EXPIRED: {
      title: 'Access token expired',
      message: 'The access token is past its expiry.',
      hint: 'Fetch a new token from POST /api/v1/auth/token, shortly before the old one expires.',
      when: 'The token was valid once; its lifetime, or the session in the ERP behind it, has ended.',
    },
    SCOPE_DENIED: {
      title: 'Capability missing',
      message: 'The channel’s plan does not include this.',
      hint: 'Request the plan named in error.required_plan with POST /api/v1/plan-requests.',
      when: 'The endpoint needs a capability that the channel’s plan, or the OMS account, does not have, or a switch of the channel is off.',
    },
    WAREHOUSE_DENIED: {
      title: 'Warehouse not allowed',
      message: 'This warehouse is not on the channel’s allowlist.',
      hint: 'Use a warehouse from GET /api/v1/warehouses, or ask the account manager to add this one to the list or to clear the list.',
      when: 'The channel has a list of allowed warehouses, and the requested one is not on it.',
    },
    AUTHZ_UNAVAILABLE: {
      title: 'Authorisation unavailable',
      message: 'Permissions cannot be checked at the moment.',
      hint: 'Retry after the time in Retry-After. If it persists, contact the account manager with the request id.',
      when: 'The store of permissions, or the ERP’s sign-in, does not answer. The gateway never lets a call pass unchecked.',
    },
    VALIDATION_FAILED: {
      title: 'Invalid parameter',
      message: 'A parameter is invalid.',
      hint: 'Correct the field named in error.param. Nothing was done.',
      when: 'A path, query or body field has the wrong type, is out of range, is missing, or is not known.',
    },
    NOT_FOUND: {
      title: 'Not found',
      message: 'What was asked for does not exist.',
      hint: 'Send the id exactly as the gateway told it, case included; the lists show what there is.',
      when: 'A product code, a SKU or a document id does not exist.',
    },
    OWNERSHIP_DENIED: {
      title: 'Another channel’s document',
      message: 'This document belongs to another channel.',
      hint: 'Use the documents of your own channel; the lists show them all.',
      when: 'The document exists, but another channel created it.',
    },
    UPSTREAM_ERROR: {
      title: 'ERP failure',
      message: 'The ERP failed to answer.',
      hint: 'Retry after the time in Retry-After; retry a write with the SAME Idempotency-Key.',
      when: 'The ERP answered with a failure or cannot be reached. Whether a write took effect is not known until it was retried with the same key.',
    },
    UPSTREAM_TIMEOUT: {
      title: 'ERP too slow',
      message: 'The ERP did not answer in time.',
      hint: 'Retry after the time in Retry-After; retry a write with the SAME Idempotency-Key.',
      when: 'The ERP is slow or unreachable. Whether a write took effect is not known until it was retried with the same key.',
    },
    INTERNAL: {
      title: 'Gateway failure',
      message: 'The gateway failed.',
      hint: 'Contact support and quote the request id.',
      when: 'Something that should not happen happened inside the gateway, or it is overloaded (503).',
    },
    ADMIN_UNAUTHORIZED: {
      title: 'Admin token wrong',
      message: 'The header x-admin-token is missing or wrong.',
      hint: 'Send the value of the server setting ADMIN_TOKEN in x-admin-token.',
      when: 'A request to /admin/api carried no admin token or another one than the server’s.',
    },
    ADMIN_DISABLED: {
      title: 'Admin console disabled',
      message: 'The admin console is disabled on this server.',
      hint: 'Set ADMIN_TOKEN on the server and restart it.',
      when: 'The server setting ADMIN_TOKEN is not set.',
    },
    IDEMPOTENCY_IN_PROGRESS: {
      title: 'Same key still running',
      message: 'A request with this Idempotency-Key is still running.',
      hint: 'Retry with the SAME key after the time in Retry-After.',
      when: 'An earlier request with the key has not ended, or its outcome at the ERP is still being looked up.',
    },
    IDEMPOTENCY_MISMATCH: {
      title: 'Key used for something else',
      message: 'This Idempotency-Key was used before with different content.',
      hint: 'Use a new key for each business operation, and the same key only for its retries.',
      when: 'The key belongs to a request with another body or other parameters.',
    },
    IDEMPOTENCY_INVALID_KEY: {
      title: 'Invalid Idempotency-Key',
      message: 'The Idempotency-Key is not usable.',
      hint: 'Use 1 to 255 visible ASCII characters, for example a UUID, and send the header once.',
      when: 'The key is empty, longer than 255 characters, has other than visible ASCII characters, or was sent twice.',
    },
    RATE_LIMITED: {
      title: 'Points used up',
      message: 'The points of this minute are used up.',
      hint: 'Wait for the seconds in Retry-After. The change feed is the cheaper alternative to full pulls; a higher quota comes from the account manager.',
      when: 'The call costs more points than are left of the channel’s quota. A refused call costs nothing.',
    },
    BAD_REQUEST: {
      title: 'Malformed request',
      message: 'The request is malformed.',
      hint: 'Compare method, path, headers and body with the reference.',
      when: 'Wrong method or path, a body that is not readable, or broken HTTP.',
    },
    READ_ONLY_MODE: {
      title: 'Read-only environment',
      message: 'This environment refuses writes to the ERP.',
      hint: 'Use the production environment. Reads work normally here.',
      when: 'The server runs with WRITES_ENABLED=0.',
    },
    ENDPOINT_GONE: {
      title: 'Legacy path retired',
      message: 'This legacy path was retired.',
      hint: 'Use the path in error.replacement. Everything lives under /api/v1.',
      when: 'The path belongs to the legacy gateway (/Api/*).',
    },
    WAREHOUSE_UNKNOWN: {
      title: 'Unknown warehouse',
      message: 'There is no such warehouse.',
      hint: 'Use a code from GET /api/v1/warehouses. Codes are case-sensitive; old aliases no longer exist.',
      when: 'The code is not one of AU, AUSYD2, AUSYD1, CN, CHNZJ1.',
    },
    UPSTREAM_REJECTED: {
      title: 'ERP refused',
      message: 'The ERP did not accept the request.',
      hint: 'The reason is in error.message and error.reason. Correct the request and send it again. Nothing was created.',
      when: 'Insufficient stock, an unknown id, a field that the ERP does not accept, or a document whose state does not allow it; for the last, the ERP is not always asked.',
    },
    AUTH_BAD_CREDENTIALS: {
      title: 'Wrong credentials',
      message: 'The credentials are wrong.',
      hint: 'Check client_id and client_secret, or username and password. A lost client secret is re-issued by an administrator.',
      when: 'The client id or secret, or the OMS name or password, is wrong, or the account belongs to no channel.',
    },
    AUTH_LOCKED: {
      title: 'Sign-in locked',
      message: 'Sign-in is locked after repeated wrong passwords.',
      hint: 'Wait for the seconds in Retry-After. Tokens that were issued before keep working.',
      when: 'Five wrong passwords within 15 minutes lock an OMS account for 15 minutes; 100 failures an hour lock an IP address.',
    },
    DUPLICATE_SUSPECTED: {
      title: 'Possible duplicate',
      message: 'The same recipient and SKU were ordered a moment ago.',
      hint: 'If it is meant, send another client_order_number, or retry after error.window_ends_at.',
      when: 'A drop-ship order with the same client_order_number, SKU and recipient was submitted shortly before.',
    },
    OMS_LOGIN_REQUIRED: {
      title: 'OMS sign-in required',
      message: 'This endpoint needs a token of an OMS account.',
      hint: 'Get a token with grant_type=password; allocation rules follow the OMS account.',
      when: 'An order is to be created with a token of the channel grant.',
    },
    SHIPPING_REQUIRED: {
      title: 'Shipping missing',
      message: 'The wholesale order has no shipping method, or no address for a delivery.',
      hint: 'Supply shipping.shipping_method_id (GET /api/v1/shipping-methods) and, for a delivery, shipping.address_id (GET /api/v1/addresses), or set defaults on the OMS website under User, then Preferences.',
      when: 'A preview or submit of a wholesale order without shipping information.',
    },
  },
  endpoints: {
    'auth.token': {
      summary: 'Get an access token',
      description:
        'Channel grant: {client_id, client_secret}. Password grant: {grant_type: "password", username, password} of an OMS website account. Credentials travel in the body only, as JSON or form.',
    },
    me: {
      summary: 'Who this token is',
      description:
        'The account, the channel, the usable warehouses, the permissions and the business switches of the token.',
    },
    'plan_requests.create': {
      summary: 'Request a plan',
      description:
        'Asks for the plan reader, trader or full. It takes effect on live tokens at once when the account manager approves.',
    },
    'plan_requests.list': {
      summary: 'List plan requests',
      description: 'The requests of this channel, newest first.',
    },
    'orders.create': {
      summary: 'Create a wholesale draft',
      description:
        'Creates a draft of the gateway’s own: it holds no stock and is priced by the preview. Shipping may come later; it is needed by preview and submit. A SKU that the account may not order is refused at once.',
    },
    'orders.list': {
      summary: 'List wholesale orders',
      description:
        'Newest first, from the gateway’s store, so that it works while the ERP is away; X-Data-Age tells how old the picture is. Without dates: the last 30 days and every draft. client_order_number looks up without a window.',
    },
    'orders.read': {
      summary: 'Read a wholesale order',
      description:
        'One order with its lines, costs and state. in_doubt: a write on it has no known outcome yet and is being looked up.',
    },
    'orders.change': {
      summary: 'Change a wholesale draft',
      description: 'Replaces the fields that are sent; lines replace all lines. Only a draft can be changed.',
    },
    'orders.preview': {
      summary: 'Preview a wholesale order',
      description:
        'What the draft, with the body laid over it, would be allocated, when it would arrive and what it would cost. Changes nothing and holds nothing. A shortage is an answer, not an error. Until price_expires_at a submit of the same content is charged this total or refused with price_changed.',
    },
    'orders.submit': {
      summary: 'Submit a wholesale order',
      description:
        'Allocates the stock and creates the order in the ERP in one step. A body replaces the draft’s fields. Short stock is refused with the shortages, unless allow_partial cuts the lines. Submitting a confirmed order again answers the same order. After an unknown outcome, retry with the SAME Idempotency-Key: the order is looked up, never sent twice.',
    },
    'orders.void': {
      summary: 'Void a wholesale order',
      description:
        'Cancels a draft, or a confirmed order of which nothing has shipped, and gives the stock back. Again: the same document.',
    },
    'dropship.preview': {
      summary: 'Preview a drop-ship order',
      description:
        'Tells what can be allocated, what is short, when it arrives and what it costs, and holds the stock, all or nothing, for HOLD_TTL_SECONDS. The same client_order_number and SKU again moves the hold to the new quantity under the same id. At most 50 live previews a channel.',
    },
    'dropship.submit': {
      summary: 'Submit a drop-ship order',
      description:
        'Submits the named preview, or the live one of the same number and SKU, or allocates anew. The same number, SKU and recipient within the duplicate window is refused with DUPLICATE_SUSPECTED; another client_order_number passes.',
    },
    'dropship.list': {
      summary: 'List drop-ship orders',
      description:
        'Newest first. client_order_number and serial_number look up without a window. Previews are left out unless include_previews=true; an order in doubt is always shown.',
    },
    'dropship.read': {
      summary: 'Read a drop-ship order',
      description: 'One drop-ship order or preview. A preview has no submitted_at.',
    },
    'dropship.release': {
      summary: 'Release a preview’s stock',
      description:
        'Gives the held stock back and cancels the preview. Twice is the same; after the submit it is refused.',
    },
    'dropship.void': {
      summary: 'Void a drop-ship order',
      description:
        'Cancelled before the hand-over to the warehouse, intercepted after it, refused once shipped. Of a preview it is the release. Again: the same document.',
    },
    'reservations.create': {
      summary: 'Reserve stock',
      description:
        'Holds all lines or none until expires_at. The same client_order_number and lines as a reserved one is that one. At most 50 live reservations a channel.',
    },
    'reservations.list': {
      summary: 'List reservations',
      description: 'Newest first. Without dates: the last 30 days and everything still reserved.',
    },
    'reservations.read': {
      summary: 'Read a reservation',
      description: 'One reservation with its hold and order.',
    },
    'reservations.cancel': {
      summary: 'Cancel a reservation',
      description: 'Gives the stock back. Twice is the same; a confirmed reservation lives on in its order.',
    },
    'reservations.confirm': {
      summary: 'Make an order of a reservation',
      description:
        'Makes a wholesale draft to which the hold passes with its expiry; its submit consumes the hold, its void releases it. Again: the same reservation.',
    },
    'holds.list': {
      summary: 'List holds',
      description:
        'Everything that is held for the channel: by previews, reservations and the drafts made of them.',
    },
    'holds.read': {
      summary: 'Read a hold',
      description: 'One hold: what is held where, for which document, until when.',
    },
    'holds.delete': {
      summary: 'Release a hold',
      description:
        'The release of its preview or the cancelling of its reservation; it needs the capability of that write. A hold of an order goes with the order.',
    },
    'carts.create': {
      summary: 'Create a cart',
      description:
        'A list of items to be ordered later. It shows prices and availability and holds no stock.',
    },
    'carts.list': {
      summary: 'List carts',
      description: 'Newest first. Without dates: the last 30 days and every open cart.',
    },
    'carts.read': {
      summary: 'Read a cart',
      description: 'One cart with the prices and availability of this moment.',
    },
    'carts.change': {
      summary: 'Change a cart',
      description: 'Replaces the fields that are sent; items replace all items.',
    },
    'carts.items': { summary: 'Replace a cart’s items', description: 'Replaces all items of an open cart.' },
    'carts.checkout': {
      summary: 'Check a cart out',
      description:
        'Makes a wholesale draft of the cart and closes it. Again: the same cart with the same order_id.',
    },
    'carts.delete': { summary: 'Throw a cart away', description: 'Cancels an open cart. Twice is the same.' },
    'balances.list': {
      summary: 'List balances',
      description:
        'The account in each currency as it is now: what was booked, what can still be spent, what is set aside, the credit. Asked of the ERP. With start_date and end_date, the accounts that were booked on last within those days. As CSV by Accept: text/csv.',
    },
    'transactions.list': {
      summary: 'List transactions',
      description:
        'What was booked on the accounts, newest first, by occurred_at; the last 30 days without dates. In each currency balance_after is the one before it plus amount, also over pages; balances tells opening_balance and closing_balance around the rows of the page. Send as_of back for the following pages. Asked of the ERP. As CSV by Accept: text/csv.',
    },
    'bills.list': {
      summary: 'List bills',
      description:
        'Bills, newest first, by issued_at. amount_total is what the transactions with its bill_id come to; amounts are what is owed. Asked of the ERP. As CSV by Accept: text/csv.',
    },
    'refunds.list': {
      summary: 'List refunds',
      description:
        'Refunds, newest first, by requested_at. A completed one names the transaction of the same amount. Asked of the ERP. As CSV by Accept: text/csv.',
    },
    'freight_bills.list': {
      summary: 'List freight bills',
      description:
        'What the shipments cost, newest first, by billed_at, with weight and zone; amount is what is owed. It names the transaction that booked it. Asked of the ERP. As CSV by Accept: text/csv.',
    },
    'shipments.list': {
      summary: 'List shipments',
      description:
        'What left the warehouses, by the day it left. order_id, dropship_order_id and tracking_number look up without a window.',
    },
    'shipments.read': {
      summary: 'Read a shipment',
      description: 'One shipment with carrier, tracking and lines.',
    },
    'webhook_endpoints.create': {
      summary: 'Register a webhook endpoint',
      description:
        'Where events are sent, at most 5 for a channel; answers the secret this once. warehouse_codes narrows stock.changed; a company view is told of only where it, or the allowlist, names it. In the sandbox a URL with the path /sandbox/inbox/<name> is an inbox of the gateway itself.',
    },
    'webhook_endpoints.list': {
      summary: 'List webhook endpoints',
      description: 'Every endpoint of the channel, with its last success and failure, never its secret.',
    },
    'webhook_endpoints.read': {
      summary: 'Read a webhook endpoint',
      description: 'One endpoint with its last success and failure.',
    },
    'webhook_endpoints.change': {
      summary: 'Change a webhook endpoint',
      description: 'Replaces the fields that are sent; attempts that begin a second later follow.',
    },
    'webhook_endpoints.delete': {
      summary: 'Delete a webhook endpoint',
      description: 'Nothing more is sent to it; what was still waiting is cancelled. Twice is the same.',
    },
    'webhook_endpoints.rotate': {
      summary: 'Rotate a secret',
      description:
        'Answers a new secret this once. For 24 hours both secrets sign, so that a receiver changes over without a gap.',
    },
    'webhook_endpoints.test': {
      summary: 'Send a test',
      description:
        'Sends an event of the type webhook.test to this endpoint, through all that a real one goes through; GET /webhook-deliveries tells what became of it.',
    },
    'webhook_deliveries.list': {
      summary: 'List deliveries',
      description:
        'What became of each event at each endpoint. Without dates: the last 30 days and every dead letter.',
    },
    'webhook_deliveries.read': {
      summary: 'Read a delivery',
      description: 'One delivery: its attempts and what came of the last one.',
    },
    'webhook_deliveries.redeliver': {
      summary: 'Deliver again',
      description:
        'Sends it again now, under the same event_id and with the whole schedule before it; a delivery that waits is tried now.',
    },
    'events.list': {
      summary: 'Read events',
      description:
        'The events of the channel after the one named by since, oldest first; without since from the start. For a receiver that was down: send the last event_id back until has_more is false. order.created is kept for 30 days, stock.changed for 7 days and without rows.',
    },
    'events.read': { summary: 'Read an event', description: 'One event of the channel.' },
    'sandbox.inbox.read': {
      summary: 'Look into a sandbox inbox',
      description: 'What the channel’s inbox received, newest first, and whether its signatures fit.',
    },
    'sandbox.inbox.fail': {
      summary: 'Have a sandbox inbox fail',
      description: 'The next fail_times deliveries are answered with fail_status.',
    },
    'sandbox.inbox.empty': {
      summary: 'Empty a sandbox inbox',
      description: 'Forgets what it received and that it was to fail.',
    },
    'idempotency_keys.list': {
      summary: 'Ask for an Idempotency-Key',
      description:
        'What became of the channel’s requests under a key: running, completed, in_doubt (its outcome is being looked up) or failed (nothing was done). For a client whose answer was lost.',
    },
    'admin.doubts.list': {
      summary: 'List writes in doubt',
      description:
        'Writes to the ERP whose outcome is not known, the oldest first. settled_by: the gateway looks it up by itself, or, where the ERP offers no look-up, a person has to.',
    },
    'admin.doubts.settle': {
      summary: 'Settle a write in doubt',
      description:
        'For a person who has looked into the ERP: found reads the document there and finishes the write, absent takes it back and frees its key.',
    },
    'sandbox.faults': {
      summary: 'Let the sandbox fail',
      description: 'Sets how often the built-in ERP’s writes go wrong, and how; an empty object ends it.',
    },
    'sandbox.clock': {
      summary: 'Set the sandbox’s clock forward',
      description: 'Lets time pass in the built-in ERP: holds expire, orders are handed over and shipped.',
    },
    'sandbox.stock': {
      summary: 'Set the sandbox’s stock',
      description: 'Sets what is on hand of a SKU in a warehouse; 0 sells it out.',
    },
    'sandbox.price': {
      summary: 'Change a price in the sandbox',
      description: 'Sets the wholesale list price of a SKU, in minor units.',
    },
    'sandbox.ship': {
      summary: 'Ship an order in the sandbox',
      description:
        'Lets an order leave the warehouse now. With the admin token, or with the bearer of the channel that owns it.',
    },
    'sandbox.intercept': {
      summary: 'Intercept an order in the sandbox',
      description:
        'Stops a drop-ship order on its way. With the admin token, or with the bearer of the channel that owns it.',
    },
    'errors.list': {
      summary: 'The error catalogue',
      description:
        'Every stable error code with its status, texts in the caller’s language, and whether a retry helps.',
    },
    'errors.read': { summary: 'One error code', description: 'One entry of the error catalogue.' },
    'warehouses.list': {
      summary: 'List warehouses',
      description: 'The real warehouses and company views that the channel may use.',
    },
    'stock.list': {
      summary: 'Stock of a warehouse',
      description:
        'The whole warehouse, a page of it, one style (product_code) or one SKU (sku). Without page and page_size: all rows. Follow the change feed from the version of the first page.',
    },
    'stock.changes': {
      summary: 'Stock changes since a version',
      description:
        'The rows that changed since a cursor, each once in its newest state, withdrawn ones as 0 with removed: true. Send version back as since. One point per row, at least 1 and at most 60; the page is cut to the points that are left. needs_full_sync asks for a full pull. The last page proves itself by row_count and checksum.',
    },
    'stock.checksum': {
      summary: 'Proof of a warehouse’s stock',
      description: 'Version, number of rows and checksum, to compare with a copy of one’s own.',
    },
    'products.list': {
      summary: 'List products',
      description:
        'Styles with their SKUs in the order of product_code; q searches names, codes and SKUs in every language.',
    },
    'products.read': { summary: 'One product', description: 'One style with its SKUs.' },
    'shipping_methods.list': {
      summary: 'List shipping methods',
      description: 'Every way in which a wholesale order can leave the channel’s warehouses.',
    },
    'addresses.list': {
      summary: 'List addresses',
      description:
        'The delivery addresses of the channel’s customer. Empty for a channel without a customer.',
    },
    'admin.channels.create': {
      summary: 'Create a channel',
      description: 'Answers the channel and, this once, its client secret.',
    },
    'admin.channels.list': {
      summary: 'List channels',
      description: 'Every channel with its plan, allowlist, quota and secrets (never their values).',
    },
    'admin.channels.read': { summary: 'One channel', description: 'One channel.' },
    'admin.channels.change': {
      summary: 'Change a channel',
      description: 'Name, plan, allowlist, customer, quota and switches; live tokens follow within a second.',
    },
    'admin.channels.delete': {
      summary: 'Delete a channel',
      description: 'Revokes its secrets and tokens. The code is not given out again.',
    },
    'admin.secrets.create': {
      summary: 'Issue a client secret',
      description: 'Answers the secret this once. The older ones stay valid until they are deleted.',
    },
    'admin.secrets.delete': {
      summary: 'Delete a client secret',
      description: 'Revokes the secret and the tokens that were issued for it.',
    },
    'admin.plan_requests.list': {
      summary: 'List plan requests',
      description: 'The plan requests of all channels, newest first.',
    },
    'admin.plan_requests.approve': {
      summary: 'Approve a plan request',
      description: 'Sets the plan; live tokens follow within a second.',
    },
    'admin.plan_requests.decline': {
      summary: 'Decline a plan request',
      description: 'Leaves the plan as it is.',
    },
  },
  webhooks: {
    'stock.changed': {
      summary: 'The stock of a warehouse changed',
      description:
        'At most one for a warehouse in 5 seconds, with up to 100 of the rows that changed since the event before. Take it as a nudge: follow the change feed from the version you have; what is older than that is known already.',
    },
    'order.created': {
      summary: 'An order was submitted',
      description:
        'Once for each wholesale or drop-ship order, when the ERP has it, also where its outcome was in doubt at first. Without the recipient.',
    },
    answer: {
      summary: 'Received. Any 2xx counts, and its body is not looked at.',
      description:
        'Anything else, a redirect included, or no answer within 15 seconds, is a failure: it is sent again after 30 seconds, 2 minutes, 10 minutes, 1 hour and 6 hours, under the same event_id; after 6 attempts it is a dead letter.',
    },
  },
  mcp: {
    summary: 'Business actions for agents',
    description:
      'The Model Context Protocol over Streamable HTTP, without sessions, with the bearer token of the API: check_stock, find_products, get_statement, quote_order, place_order, cancel_order, quote_dropship, place_dropship, release_dropship, list_endpoints, call_endpoint. Rights, points and answers are those of the calls behind them.',
  },
  actions: {
    check_stock: 'Check stock',
    find_products: 'Find products',
    get_statement: 'Reconciliation statement',
    quote_order: 'Quote wholesale order',
    place_order: 'Place wholesale order',
    cancel_order: 'Void order',
    quote_dropship: 'Quote drop-ship',
    place_dropship: 'Place drop-ship',
    release_dropship: 'Release held stock',
    list_endpoints: 'List endpoints',
    call_endpoint: 'Call an endpoint',
  },
  things,
  fields: fieldsEn,
  settings: settingsEn,
  site: siteEn,
}
