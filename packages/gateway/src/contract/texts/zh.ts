import { fieldsZh } from './fields/zh.ts'
import { settingsZh } from './settings/zh.ts'
import { siteZh } from './site/zh.ts'
import type { Texts } from './texts.ts'

export const zh: Texts = {
  sentences: {
    path_unknown: '没有 {method} {path} 这个接口。',
    path_no_slash: '路径没有以斜杠开头。',
    path_fragment: 'URL 含有片段（#），片段只属于客户端。',
    path_encoding: '路径不是有效的百分号编码 UTF-8。',
    path_empty_segment: '路径含有空段。',
    path_dot_segment: '路径含有点段。',
    path_character: '路径的某一段含有斜杠、反斜杠或 NUL。',
    not_whole_number: '须为最多 {most} 位数字的整数',
    not_this_form: '格式与参考文档不符',
    want_string: '须为字符串',
    want_number: '须为数字',
    want_whole: '须为整数',
    want_boolean: '须为 true 或 false',
    want_list: '须为列表',
    want_object: '须为对象',
    characters_least: '至少 {least} 个字符',
    characters_most: '最多 {most} 个字符',
    entries_least: '至少 {least} 项',
    entries_most: '最多 {most} 项',
    number_least: '不得小于 {least}',
    number_most: '不得大于 {most}',
    one_of_these: '须为以下之一：{values}',
    day_form: '须为日历上的日期，例如 2026-11-21',
    day_too_early: '不得早于 1970-01-01',
    instant_form: '须为 UTC 时间，例如 2026-11-21T08:30:00.000Z',
    code_form: '不得含换行、控制字符或不可见字符，且须为 Unicode NFC 形式',
    words_form: '不得含换行或其他控制字符，且须为 Unicode NFC 形式',
    amount_form: '须为最多 2 位小数的金额',
    country_form: '须为 ISO 3166-1 的两位大写国家代码，例如 AU',
    key_form: '须为 1 至 255 个可见 ASCII 字符',
    channel_code_form: '须为 1 至 64 个字母、数字、点、_ 和 -，且以字母或数字开头',
    method_not_allowed: '{path} 不支持 {method}。可用的方法：{allowed}。',
    legacy_gone: '{path} 已下线，请改用 {replacement}。',
    legacy_unknown: '没有 {path} 这个路径。API 的路径都以 /api/v1 开头，列表见 {replacement}。',
    body_not_utf8: '请求体不是有效的 UTF-8。',
    body_not_json: '请求体不是有效的 JSON。',
    body_too_deep: '请求体的嵌套超过 {most} 层。',
    body_duplicate_key: '请求体的同一个对象中，键“{key}”出现了两次。',
    body_forbidden_key: '请求体含有禁止使用的键“{key}”。',
    body_too_large: '请求体超过 {most} 字节。',
    body_missing: '请求体为空。请发送一个 JSON 对象。',
    body_not_object: '请求体不是 JSON 对象。',
    body_type: '此处不接受 Content-Type“{type}”。请发送 {expected}。',
    body_encoding: '此处不接受 Content-Encoding“{encoding}”。请直接发送未经编码的请求体。',
    body_interrupted: '请求体尚未传完就中断了。',
    header_twice: '请求头 {name} 发送了不止一次。',
    too_many_headers: '请求头超过 {most} 个。',
    url_too_long: 'URL 超过 {most} 个字符。',
    headers_too_large: '请求头总大小超过 {most} 字节。',
    host_missing: '请求缺少 Host 请求头。',
    expectation: '无法满足请求的预期“{value}”。',
    broken_framing: '请求不符合 HTTP 格式。',
    request_timeout: '请求未能在 {seconds} 秒内传完。',
    query_malformed: '查询字符串不是有效的百分号编码 UTF-8。',
    parameter_unknown: '此处没有参数“{param}”。',
    parameter_twice: '参数“{param}”发送了不止一次。',
    field_unknown: '此处没有字段“{param}”。',
    field_invalid: '{param}：{problem}',
    credentials_in_query:
      '凭据必须放在请求体中。URL 中的“{param}”不会被读取；由于 URL 会留在日志里，请将该值视为已经泄露。',
    credentials_missing:
      '请求体中没有完整的凭据。请发送 client_id 和 client_secret，或 username 和 password：以 JSON 发送并带上 Content-Type: application/json，或以表单发送。',
    grant_unknown: '没有“{grant}”这种 grant_type。请使用 client_credentials 或 password。',
    token_in_query: '不接受查询字符串中的令牌。请发送请求头 Authorization: Bearer <ACCESS_TOKEN>。',
    token_not_bearer: 'Authorization 请求头的格式不是 Bearer <ACCESS_TOKEN>。',
    token_doubled: '请求中带了不止一个令牌。',
    token_revoked: '此令牌已被吊销。',
    session_ended: 'ERP 已结束此令牌对应的会话。',
    legacy_token_ended: '旧网关的令牌只接受到 {until}，现已失效。',
    channel_gone: '此令牌所属的渠道已不存在。',
    capability_missing: '此操作需要能力 {capability}，套餐 {plan} 不包含该能力。',
    capability_account: '此操作需要能力 {capability}，OMS 账户 {account} 不具备该能力。',
    switched_off: '此渠道已关闭 {what}。',
    warehouse_unknown: '没有仓库“{warehouse}”。已知的仓库：{known}。',
    warehouse_denied: '仓库 {warehouse} 不在此渠道的白名单中。可用的仓库：{allowed}。',
    warehouse_filling: '正在首次从 ERP 读取 {warehouse} 的库存。',
    warehouses_filling: '正在首次从 ERP 读取仓库。',
    products_filling: '正在首次从 ERP 读取商品。',
    points_used: '本次调用需要 {cost} 点，而本分钟的 {limit} 点只剩 {remaining} 点。',
    tokens_too_many: '一分钟内申请的令牌超过 {most} 个。',
    locked_until: '密码错误次数过多，此用户名的登录还将锁定 {seconds} 秒。',
    locked_address: '来自此 IP 地址的登录失败次数过多。请等待 {seconds} 秒。',
    sign_in_unavailable: 'ERP 暂时无法校验密码。',
    sku_unknown: '没有 SKU“{sku}”。',
    style_unknown: '没有款式“{style}”。',
    thing_unknown: '{what}“{id}”不存在。',
    error_unknown: '没有错误码“{code}”。',
    key_invalid: 'Idempotency-Key 须为 1 至 255 个可见 ASCII 字符，且只发送一次。',
    range_reversed: 'start_date {start} 晚于 end_date {end}。',
    range_too_long: '从 {start} 到 {end} 的跨度超过 {most} 天。',
    currency_unknown: 'ERP 没有此客户的 {currency} 账户。',
    currency_form: '应为 ISO 4217 货币代码，例如 AUD',
    plan_pending: '套餐 {plan} 的申请正在等待审批。',
    plan_present: '此渠道的套餐已经是 {plan}。',
    plan_decided: '此申请已有审批结果：{status}。',
    channel_code_taken: '渠道“{channel}”已存在，或曾经存在过。',
    customer_taken: '客户 {customer} 已属于渠道 {channel}。',
    secrets_too_many: '一个渠道最多有 {most} 个客户端密钥。请先删除一个。',
    erp_rejected: 'ERP 未接受此操作：{reason}',
    erp_unreachable: '无法连接 ERP；没有向它发送任何内容。',
    outcome_unknown:
      '请求已发往 ERP，但未收到响应，目前还不知道操作是否已执行。请用同一个 Idempotency-Key 重试。',
    outcome_unknown_keyless: '请求已发往 ERP，但未收到响应，目前还不知道操作是否已执行。',
    document_in_doubt: '{id} 上一次写操作的结果尚不明确，网关正在查询。请用那次写操作的幂等键重试。',
    no_preview_any_more: '{id} 已提交，不再占用库存。请改为作废该订单。',
    not_in_state: '{id} 的状态为 {status}；此操作要求状态为 {needed}。',
    hold_of_order: '占用 {id} 属于订单 {order}；随该订单的提交或作废一起结束。',
    not_at_erp: 'ERP 中没有对应 {id} 的单据 {reference}。',
    not_done_at_erp: 'ERP 中 {id} 的状态为 {status}，这表明 {kind} 并未生效。请按 absent 处理。',
    sandbox_only: '沙盒控制只在内置 ERP 前可用。',
    key_in_doubt: '正在 ERP 查询此前使用该 Idempotency-Key 的请求的结果。',
    field_needed: '此处必填',
    sku_twice: '已在前面的明细中出现；请合并数量',
    hint_insufficient_stock:
      '订购数量不要超过 error.shortages[].quantity_available，批发订单也可发送 allow_partial；预览会说明在途数量。本次未创建任何单据。',
    hint_insufficient_balance: '请充值，或选择其他 payment_method。本次未创建任何单据。',
    hint_already_shipped: '货物已离开仓库，无法再作废；请安排退货。未作任何更改。',
    hint_already_cancelled: '该单据已取消，不可恢复。请新建单据。',
    hint_hold_expired: '其库存已不再占用。请重新预览，或提交时不带 dropship_order_id。本次未创建任何单据。',
    hint_reservation_over: '请重新预留，或不经预留直接下单。本次未创建任何单据。',
    hint_price_changed: '请重新预览，确认新的总额后再提交。本次未创建任何单据。',
    hint_invalid_state: '请读取该单据：其状态不允许此操作。未作任何更改。',
    hint_upstream_unknown:
      '尚不清楚 ERP 是否已执行。请在 Retry-After 之后用相同（SAME）的 Idempotency-Key 重试；GET /api/v1/idempotency-keys 可查询进展。',
    hint_upstream_unknown_keyless:
      '尚不清楚 ERP 是否已执行，且本次请求没有带 Idempotency-Key。请先按 ID 或 client_order_number 查询该单据，直到 in_doubt 不再为 true；确认不存在后才重新发送，并带上幂等键。',
    hint_too_many_holds: '请提交或释放一个有效的，或等待其到期。本次未创建任何单据。',
    hint_sku_blocked:
      '请去掉此 SKU；GET /api/v1/products 中的 sellable 说明该账户可以订购什么。本次未创建任何单据。',
    hint_sku_unknown: '请检查 SKU 或款式编码；它们逐字节比较，区分大小写。',
    hint_error_unknown: 'GET /api/v1/errors 列出全部错误码。',
    hint_sandbox_only: '要使用内置 ERP，启动网关时请不要设置 UPSTREAM_URL。',
    hint_endpoints_too_many:
      '请用 DELETE /api/v1/webhook-endpoints/<endpoint_id> 删除 {most} 个中的一个，或用 PATCH 修改它。本次未创建任何内容。',
    hint_endpoint_deleted:
      '请用 GET /api/v1/events/<event_id> 读取该事件，并为今后的事件注册 Webhook 端点。本次未发送任何内容。',
    sku_blocked: 'SKU {sku} 不在此账户可售目录中。',
    shipping_not_served: '配送方式 {method} 不适用于 {warehouses}。',
    cart_empty: '购物车 {id} 是空的。',
    preview_not_live: '预览 {id} 已失效，或者其订单号或 SKU 与请求不同。',
    differs_from_preview: '{param} 与预览 {id} 不一致；提交的内容必须与预览相同。',
    hold_over: '预览 {id} 的库存已不再占用。请重新预览。',
    reservation_over: '预留 {id} 已于 {until} 到期，其库存已不再占用。未向 ERP 发出请求。',
    too_many_live: '同时有效的最多为 {most} 个。请先提交或释放其中一个。',
    number_taken: '订单号 {number} 已用于 {sku} 的另一个订单，且收件人不同。',
    duplicate: '刚刚已用订单号 {number} 为相同的收件人和 SKU 提交过订单：{id}。',
    overloaded: '网关过载，未开始处理此请求。',
    url_form: '这不是可以调用的 URL：须以 https:// 开头，只含可见的 ASCII 字符，且不超过 {most} 个。',
    url_scheme: '只调用 https。',
    url_credentials: 'Webhook 的 URL 不带用户名或密码；由签名证明发送方的身份。',
    url_fragment: '片段（#）不会到达接收方，请去掉它。',
    url_port: '只调用 443 和 8443 端口。',
    url_not_public: '只调用公网地址，而此地址不是。',
    url_own: '网关不调用自身所在的主机。',
    inbox_name: '沙盒收件箱的名称为 1 至 64 个字符：字母 A 至 Z 和 a 至 z、数字、_ 和 -。',
    endpoints_too_many: '每个渠道最多有 {most} 个 Webhook 端点。请先删除一个。',
    endpoint_deleted: 'Webhook 端点 {id} 已删除，不再向其发送任何内容。',
    cursor_gone: '事件“{id}”不存在或已不再保留。请不带 since 从头读取，并按 event_id 略过已知的事件。',
    not_ready: '网关尚未就绪：其存储没有响应，或正在首次读取库存。',
    origin_foreign: '{origin} 的页面不能调用此接口。',
    one_of: '请传入其中一项：{fields}。',
    action_renamed: '工具 {name} 已改名。',
    hint_action_renamed: '请调用 {now}。其参数见工具列表。',
    endpoint_out_of_reach:
      '此处不能调用 {method} {path}：只能调用 /api/v1 下的普通路径，且不包括令牌接口，因为凭据不应出现在模型的上下文中。',
    answer_too_large: '应答有 {size} 字节；最多转交 {most} 字节。请分页获取（page_size）。',
    quote_invalid: '此 quote_id 不是为此账户和此操作签发的，或者试算内容已有变化。',
    quote_expired: '此试算已过期。',
    quote_used: '此试算已失效：试算内容已被释放、取消，或已按其他内容下单。',
    total_differs: 'confirm_total {confirmed} 与试算总额 {total} {currency} 不符。',
    hint_switched_off: '运维人员已为此渠道关闭该业务，更换套餐也不会改变。请询问运维人员。没有创建任何内容。',
    hint_quote_again: '请重新试算，向用户确认新的总额后再下单。没有创建任何内容。',
    hint_quote_used: '请查看该单据，或重新试算。没有创建任何内容。',
    hint_call_again:
      '尚不确定此操作是否已完成。请在 retry_after 之后以相同参数再次调用同一工具；它会查明结果，绝不会重复执行。',
    reader_gone: '请求方已离开；没有继续查询。',
    call_running: '同一调用仍在进行，或正在向 ERP 查询其结果。',
    hint_call_later: '请在 retry_after 之后再次调用同一工具。',
    hint_destination_not_served: '此配送方式不送达该国家；请更换配送方式或地址。',
  },
  errors: {
    AUTH_MISSING_TOKEN: {
      title: '缺少访问令牌',
      message: '请求没有带访问令牌。',
      hint: '请发送请求头 Authorization: Bearer <ACCESS_TOKEN>。令牌通过 POST /api/v1/auth/token 获取。',
      when: '请求没有带 Bearer 令牌的 Authorization 请求头。查询字符串中的令牌不会被读取。',
    },
    AUTH_INVALID_TOKEN: {
      title: '访问令牌无效',
      message: '访问令牌格式有误、签名不符或已被吊销。',
      hint: '请通过 POST /api/v1/auth/token 获取新令牌。',
      when: '令牌不是由本网关签发、在传输途中被改动、已被吊销，或者是已过接受期限的旧网关令牌。',
    },
    AUTH_EXPIRED: {
      title: '访问令牌已过期',
      message: '访问令牌已超过有效期。',
      hint: '请通过 POST /api/v1/auth/token 获取新令牌；今后请在旧令牌过期前不久更换。',
      when: '令牌曾经有效，但其有效期或其背后的 ERP 会话已经结束。',
    },
    SCOPE_DENIED: {
      title: '缺少所需能力',
      message: '此渠道的套餐不包含这项操作。',
      hint: '请通过 POST /api/v1/plan-requests 申请 error.required_plan 给出的套餐。',
      when: '接口需要某项能力，而渠道的套餐或 OMS 账户不具备该能力；或者渠道的相应业务开关已关闭。',
    },
    WAREHOUSE_DENIED: {
      title: '仓库不可用',
      message: '此仓库不在渠道的白名单中。',
      hint: '请使用 GET /api/v1/warehouses 列出的仓库，或请账户经理将此仓库加入白名单，或清空白名单。',
      when: '渠道设有仓库白名单，而所请求的仓库不在其中。',
    },
    AUTHZ_UNAVAILABLE: {
      title: '权限校验不可用',
      message: '暂时无法校验权限。',
      hint: '请在 Retry-After 给出的时间后重试。如果一直失败，请联系账户经理，并提供请求 ID。',
      when: '权限存储或 ERP 的登录服务没有响应。网关绝不放行未经校验的调用。',
    },
    VALIDATION_FAILED: {
      title: '参数无效',
      message: '有参数无效。',
      hint: '请更正 error.param 指明的字段。本次请求未执行任何操作。',
      when: '路径、查询字符串或请求体中的字段类型不对、超出范围、缺失或未知。',
    },
    NOT_FOUND: {
      title: '未找到',
      message: '所请求的内容不存在。',
      hint: '请按网关给出的原样发送 ID，区分大小写；列表中可以看到现有的内容。',
      when: '款式编码、SKU 或单据 ID 不存在。',
    },
    OWNERSHIP_DENIED: {
      title: '其他渠道的单据',
      message: '此单据属于其他渠道。',
      hint: '请使用本渠道的单据；各列表接口会列出全部。',
      when: '单据存在，但由其他渠道创建。',
    },
    UPSTREAM_ERROR: {
      title: 'ERP 故障',
      message: 'ERP 未能正常响应。',
      hint: '请在 Retry-After 给出的时间后重试；重试写操作时，请使用同一个 Idempotency-Key。',
      when: 'ERP 返回故障或无法连接。写操作是否已生效，要用同一个幂等键重试之后才能确定。',
    },
    UPSTREAM_TIMEOUT: {
      title: 'ERP 响应超时',
      message: 'ERP 未能及时响应。',
      hint: '请在 Retry-After 给出的时间后重试；重试写操作时，请使用同一个 Idempotency-Key。',
      when: 'ERP 响应缓慢或无法连接。写操作是否已生效，要用同一个幂等键重试之后才能确定。',
    },
    INTERNAL: {
      title: '网关故障',
      message: '网关发生故障。',
      hint: '请联系技术支持，并提供请求 ID。',
      when: '网关内部发生了不应发生的情况，或网关过载（503）。',
    },
    ADMIN_UNAUTHORIZED: {
      title: '管理令牌有误',
      message: '请求头 x-admin-token 缺失或有误。',
      hint: '请在 x-admin-token 中发送服务器设置 ADMIN_TOKEN 的值。',
      when: '发往 /admin/api 的请求没有带管理令牌，或所带令牌与服务器的设置不符。',
    },
    ADMIN_DISABLED: {
      title: '管理后台已停用',
      message: '此服务器的管理后台已停用。',
      hint: '请在服务器上设置 ADMIN_TOKEN，然后重启。',
      when: '服务器未设置 ADMIN_TOKEN。',
    },
    IDEMPOTENCY_IN_PROGRESS: {
      title: '同一幂等键的请求仍在处理',
      message: '使用此 Idempotency-Key 的请求仍在处理中。',
      hint: '请在 Retry-After 给出的时间后，用同一个幂等键重试。',
      when: '此前使用该幂等键的请求尚未结束，或仍在向 ERP 查询其结果。',
    },
    IDEMPOTENCY_MISMATCH: {
      title: '幂等键已用于其他请求',
      message: '此 Idempotency-Key 此前已用于内容不同的请求。',
      hint: '请为每笔业务操作使用新的幂等键；同一个幂等键只用于重试同一笔操作。',
      when: '该幂等键属于请求体或参数不同的另一个请求。',
    },
    IDEMPOTENCY_INVALID_KEY: {
      title: 'Idempotency-Key 无效',
      message: '此 Idempotency-Key 不可用。',
      hint: '请使用 1 至 255 个可见 ASCII 字符，例如 UUID，并且只发送一次该请求头。',
      when: '幂等键为空、超过 255 个字符、含有可见 ASCII 以外的字符，或发送了两次。',
    },
    RATE_LIMITED: {
      title: '点数已用完',
      message: '本分钟的点数已用完。',
      hint: '请等待 Retry-After 给出的秒数。与全量拉取相比，变更流更省点数；如需更高的配额，请联系账户经理。',
      when: '本次调用所需的点数超过渠道配额中剩余的点数。被拒绝的调用不消耗点数。',
    },
    BAD_REQUEST: {
      title: '请求格式有误',
      message: '请求格式有误。',
      hint: '请对照参考文档检查方法、路径、请求头和请求体。',
      when: '方法或路径有误、请求体无法读取，或 HTTP 格式错误。',
    },
    READ_ONLY_MODE: {
      title: '只读环境',
      message: '此环境拒绝对 ERP 的写操作。',
      hint: '写操作请使用生产环境。此处的读操作一切正常。',
      when: '服务器以 WRITES_ENABLED=0 运行。',
    },
    ENDPOINT_GONE: {
      title: '旧路径已下线',
      message: '此旧路径已下线。',
      hint: '请使用 error.replacement 中的路径。所有接口都在 /api/v1 下。',
      when: '路径属于旧网关（/Api/*）。',
    },
    WAREHOUSE_UNKNOWN: {
      title: '未知仓库',
      message: '没有这个仓库。',
      hint: '请使用 GET /api/v1/warehouses 返回的代码。代码区分大小写；旧的别名已不再使用。',
      when: '仓库代码不是 AU、AUSYD2、AUSYD1、CN、CHNZJ1 之一。',
    },
    UPSTREAM_REJECTED: {
      title: 'ERP 拒绝了请求',
      message: 'ERP 未接受此请求。',
      hint: '原因见 error.message 和 error.reason。请更正后重新发送。本次请求未创建任何单据。',
      when: '库存不足、ID 未知、含有 ERP 不接受的字段，或单据的状态不允许此操作；最后一种情况不一定会询问 ERP。',
    },
    AUTH_BAD_CREDENTIALS: {
      title: '凭据有误',
      message: '凭据有误。',
      hint: '请检查 client_id 和 client_secret，或 username 和 password。客户端密钥遗失后，由运维人员重新签发。',
      when: '客户端 ID 或客户端密钥有误，OMS 用户名或密码有误，或该账户不属于任何渠道。',
    },
    AUTH_LOCKED: {
      title: '登录已锁定',
      message: '密码多次错误，登录已被锁定。',
      hint: '请等待 Retry-After 给出的秒数。此前签发的令牌仍可使用。',
      when: '15 分钟内密码错误 5 次，OMS 账户将锁定 15 分钟；一小时内登录失败 100 次，来源 IP 地址将被锁定。',
    },
    DUPLICATE_SUSPECTED: {
      title: '疑似重复下单',
      message: '刚刚已有收件人和 SKU 都相同的订单。',
      hint: '如果确实要再下一单，请换一个 client_order_number，或在 error.window_ends_at 之后重试。',
      when: '不久前已提交过 client_order_number、SKU 和收件人都相同的一件代发订单。',
    },
    OMS_LOGIN_REQUIRED: {
      title: '需要 OMS 登录',
      message: '此接口需要 OMS 账户的令牌。',
      hint: '请用 grant_type=password 获取令牌；分配规则以 OMS 账户为准。',
      when: '用渠道授权的令牌创建订单。',
    },
    SHIPPING_REQUIRED: {
      title: '缺少配送信息',
      message: '此批发订单没有配送方式，或需要送货但没有地址。',
      hint: '请提供 shipping.shipping_method_id（GET /api/v1/shipping-methods），送货时还需提供 shipping.address_id（GET /api/v1/addresses）；也可以在 OMS 网站“用户（User）”下的“偏好设置（Preferences）”中设置默认值。',
      when: '预览或提交批发订单时没有配送信息。',
    },
  },
  endpoints: {
    'auth.token': {
      summary: '获取访问令牌',
      description:
        '渠道授权：{client_id, client_secret}。密码授权：{grant_type: "password", username, password}，使用 OMS 网站的账户。凭据只能放在请求体中，格式为 JSON 或表单。',
    },
    me: {
      summary: '查看令牌身份',
      description: '返回令牌对应的账户、渠道、可用的仓库、权限和业务开关。',
    },
    'plan_requests.create': {
      summary: '申请套餐',
      description: '申请套餐 reader、trader 或 full。账户经理批准后，对现有令牌立即生效。',
    },
    'plan_requests.list': {
      summary: '列出套餐申请',
      description: '列出本渠道的套餐申请，最新的在前。',
    },
    'orders.create': {
      summary: '创建批发订单草稿',
      description:
        '创建一份由网关自行保存的草稿：它不占用库存，价格由预览计算。配送信息可以稍后补充，预览和提交时必须具备。账户不可订购的 SKU 会立即被拒绝。',
    },
    'orders.list': {
      summary: '列出批发订单',
      description:
        '最新的在前。数据来自网关的存储，因此 ERP 不可用时也能查询；X-Data-Age 表明数据有多旧。不带日期时，返回最近 30 天的订单和全部草稿。按 client_order_number 查询时不受日期范围限制。',
    },
    'orders.read': {
      summary: '查看一个批发订单',
      description:
        '返回一个订单及其明细、费用和状态。in_doubt 表示该订单有一次写操作的结果尚不明确，网关正在查询。',
    },
    'orders.change': {
      summary: '修改批发订单草稿',
      description: '替换请求中给出的字段；lines 会替换全部明细。只有草稿可以修改。',
    },
    'orders.preview': {
      summary: '预览批发订单',
      description:
        '在草稿上叠加请求体中的字段，返回可分配的数量、预计到货时间和费用。不改动任何数据，也不占用任何库存。缺货是正常的返回结果，不是错误。在 price_expires_at 之前提交相同的内容，要么按此总价收取，要么以 price_changed 被拒绝。',
    },
    'orders.submit': {
      summary: '提交批发订单',
      description:
        '一步完成库存分配并在 ERP 中创建订单。请求体中的字段会替换草稿的相应字段。库存不足时，提交会被拒绝并返回缺货明细，除非用 allow_partial 允许削减明细的数量。再次提交状态为 confirmed 的订单，返回同一个订单。结果不明时，请用同一个 Idempotency-Key 重试：网关会查询该订单，绝不会重复发送。',
    },
    'orders.void': {
      summary: '作废批发订单',
      description:
        '取消草稿，或取消状态为 confirmed 且尚未发出任何货物的订单，并归还库存。重复调用返回同一单据。',
    },
    'dropship.preview': {
      summary: '预览一件代发订单',
      description:
        '返回可分配的数量、缺货情况、预计到货时间和费用，并占用库存，时长为 HOLD_TTL_SECONDS：要么全部占用，要么全不占用。用相同的 client_order_number 和 SKU 再次预览，会把占用调整为新的数量，ID 不变。每个渠道最多有 50 个有效的预览。',
    },
    'dropship.submit': {
      summary: '提交一件代发订单',
      description:
        '提交指定的预览，或订单号和 SKU 都相同的有效预览；没有预览时重新分配。在重复判定的时间窗口内，订单号、SKU 和收件人都相同的提交会以 DUPLICATE_SUSPECTED 被拒绝；换一个 client_order_number 即可通过。',
    },
    'dropship.list': {
      summary: '列出一件代发订单',
      description:
        '最新的在前。按 client_order_number 和 serial_number 查询时不受日期范围限制。预览默认不列出，除非带上 include_previews=true；结果尚不明确的订单始终列出。',
    },
    'dropship.read': {
      summary: '查看一个一件代发订单',
      description: '返回一个一件代发订单或预览。预览没有 submitted_at。',
    },
    'dropship.release': {
      summary: '释放预览的库存',
      description: '归还所占用的库存并取消预览。重复调用结果相同；提交之后再释放会被拒绝。',
    },
    'dropship.void': {
      summary: '作废一件代发订单',
      description:
        '移交仓库之前予以取消，移交之后予以拦截，发货之后则拒绝。对预览而言，作废就是释放。重复调用返回同一单据。',
    },
    'reservations.create': {
      summary: '预留库存',
      description:
        '占用全部明细，否则一条也不占用；占用到 expires_at 为止。如果已有 client_order_number 和明细都相同、状态为 reserved 的预留，则返回该预留。每个渠道最多有 50 个有效的预留。',
    },
    'reservations.list': {
      summary: '列出预留',
      description: '最新的在前。不带日期时，返回最近 30 天的预留，以及所有状态仍为 reserved 的预留。',
    },
    'reservations.read': {
      summary: '查看一个预留',
      description: '返回一个预留及其占用和订单。',
    },
    'reservations.cancel': {
      summary: '取消预留',
      description: '归还库存。重复调用结果相同；状态为 confirmed 的预留则在其订单中延续。',
    },
    'reservations.confirm': {
      summary: '将预留转为订单',
      description:
        '生成一份批发订单草稿，占用连同其到期时间一并转入；提交草稿会消耗该占用，作废草稿会释放该占用。重复调用返回同一个预留。',
    },
    'holds.list': {
      summary: '列出占用',
      description: '列出为渠道占用的全部库存：来自预览、预留，以及由预留生成的草稿。',
    },
    'holds.read': {
      summary: '查看一个占用',
      description: '返回一个占用：在哪个仓库占用了什么、为哪个单据占用、占用到何时。',
    },
    'holds.delete': {
      summary: '释放占用',
      description: '相当于释放其预览或取消其预留，并需要该写操作的能力。订单的占用随订单一同了结。',
    },
    'carts.create': {
      summary: '创建购物车',
      description: '购物车是一份留待以后下单的商品清单。它显示价格和可用数量，不占用库存。',
    },
    'carts.list': {
      summary: '列出购物车',
      description: '最新的在前。不带日期时，返回最近 30 天的购物车和所有未关闭的购物车。',
    },
    'carts.read': {
      summary: '查看一个购物车',
      description: '返回一个购物车，以及此刻的价格和可用数量。',
    },
    'carts.change': {
      summary: '修改购物车',
      description: '替换请求中给出的字段；items 会替换全部商品。',
    },
    'carts.items': {
      summary: '替换购物车的商品',
      description: '替换未关闭的购物车中的全部商品。',
    },
    'carts.checkout': {
      summary: '结算购物车',
      description: '由购物车生成一份批发订单草稿，并关闭购物车。重复调用返回同一个购物车和同一个 order_id。',
    },
    'carts.delete': {
      summary: '丢弃购物车',
      description: '取消未关闭的购物车。重复调用结果相同。',
    },
    'balances.list': {
      summary: '列出余额',
      description:
        '返回每种货币账户的当前状况：已记账金额、可用金额、冻结金额和信用额度。数据直接取自 ERP。给出 start_date 和 end_date 时，只列出最近一次记账在此期间的账户。使用 Accept: text/csv 可得到 CSV。',
    },
    'transactions.list': {
      summary: '列出流水',
      description:
        '列出账户上的记账，按 occurred_at 从新到旧排列；未给日期时为最近 30 天。每种货币的 balance_after 等于前一笔的余额加上 amount，跨页也成立；balances 给出本页前后的 opening_balance 和 closing_balance。读取后续各页时请带上 as_of。数据直接取自 ERP。使用 Accept: text/csv 可得到 CSV。',
    },
    'bills.list': {
      summary: '列出账单',
      description:
        '列出账单，按 issued_at 从新到旧排列。amount_total 是带有其 bill_id 的流水的合计；金额表示应付款。数据直接取自 ERP。使用 Accept: text/csv 可得到 CSV。',
    },
    'refunds.list': {
      summary: '列出退款',
      description:
        '列出退款，按 requested_at 从新到旧排列。已完成的退款会指明金额相同的流水。数据直接取自 ERP。使用 Accept: text/csv 可得到 CSV。',
    },
    'freight_bills.list': {
      summary: '列出运费账单',
      description:
        '列出各次发货的运费，按 billed_at 从新到旧排列，附重量和区域；amount 表示应付款，并指明对应的流水。数据直接取自 ERP。使用 Accept: text/csv 可得到 CSV。',
    },
    'shipments.list': {
      summary: '列出发货记录',
      description:
        '列出已从仓库发出的货物，按发出日期查询。按 order_id、dropship_order_id 和 tracking_number 查询时不受日期范围限制。',
    },
    'shipments.read': {
      summary: '查看一条发货记录',
      description: '返回一条发货记录及其承运商、物流跟踪信息和明细。',
    },
    'webhook_endpoints.create': {
      summary: '登记 Webhook 端点',
      description:
        '事件的发送地址，每个渠道最多 5 个；密钥仅在本次应答中给出。warehouse_codes 用于缩小 stock.changed 的范围；汇总视图只有在此处或白名单中点名时才会通知。在沙盒中，路径为 /sandbox/inbox/<name> 的 URL 是网关自带的收件箱。',
    },
    'webhook_endpoints.list': {
      summary: '列出 Webhook 端点',
      description: '渠道的全部端点及其最近一次成功和失败，绝不包含密钥。',
    },
    'webhook_endpoints.read': {
      summary: '读取 Webhook 端点',
      description: '一个端点及其最近一次成功和失败。',
    },
    'webhook_endpoints.change': {
      summary: '修改 Webhook 端点',
      description: '替换所发送的字段；一秒之后开始的投递即按新内容进行。',
    },
    'webhook_endpoints.delete': {
      summary: '删除 Webhook 端点',
      description: '不再向其发送任何内容；仍在等待的投递将被取消。重复删除结果相同。',
    },
    'webhook_endpoints.rotate': {
      summary: '轮换密钥',
      description: '新密钥仅在本次应答中给出。24 小时内新旧密钥同时签名，接收方可以无缝切换。',
    },
    'webhook_endpoints.test': {
      summary: '发送测试',
      description:
        '向此端点发送一个类型为 webhook.test 的事件，与真实事件经过相同的流程；GET /webhook-deliveries 说明其结果。',
    },
    'webhook_deliveries.list': {
      summary: '列出投递',
      description: '每个事件在每个端点的结果。不带日期时：最近 30 天以及全部死信。',
    },
    'webhook_deliveries.read': { summary: '读取投递', description: '一次投递：尝试次数以及最近一次的结果。' },
    'webhook_deliveries.redeliver': {
      summary: '重新投递',
      description: '立即以相同的 event_id 重新发送，并重新开始完整的重试计划；仍在等待的投递会立即尝试。',
    },
    'events.list': {
      summary: '读取事件',
      description:
        '渠道在 since 所指事件之后的事件，从旧到新；不带 since 则从头开始。供中断过的接收方使用：反复传回最后一个 event_id，直到 has_more 为 false。order.created 保留 30 天，stock.changed 保留 7 天且不含行。',
    },
    'events.read': { summary: '读取单个事件', description: '渠道的一个事件。' },
    'sandbox.inbox.read': {
      summary: '查看沙盒收件箱',
      description: '渠道的收件箱收到的内容，最新的在前，以及签名是否相符。',
    },
    'sandbox.inbox.fail': {
      summary: '让沙盒收件箱失败',
      description: '接下来的 fail_times 次投递以 fail_status 应答。',
    },
    'sandbox.inbox.empty': {
      summary: '清空沙盒收件箱',
      description: '忘记收到的内容，也不再失败。',
    },
    'idempotency_keys.list': {
      summary: '查询 Idempotency-Key',
      description:
        '返回渠道用某个幂等键发出的请求处理得如何：running、completed、in_doubt（正在查询其结果）或 failed（未执行任何操作）。供丢失了响应的客户端使用。',
    },
    'admin.doubts.list': {
      summary: '列出存疑的写入',
      description:
        '结果未知的 ERP 写入，最早的在前。settled_by 表示由网关自行查询，或在 ERP 不提供查询时由人处理。',
    },
    'admin.doubts.settle': {
      summary: '核实处理存疑的写入',
      description: '供已在 ERP 中核实的人使用：found 读取该单据并完成写入，absent 撤回写入并释放其幂等键。',
    },
    'sandbox.faults': {
      summary: '让沙盒出错',
      description: '设置内置 ERP 的写入以何种方式、多大概率出错；空对象表示结束。',
    },
    'sandbox.clock': {
      summary: '拨快沙盒时钟',
      description: '让内置 ERP 的时间流逝：占用到期，订单移交仓库并发货。',
    },
    'sandbox.stock': {
      summary: '设置沙盒库存',
      description: '设置某仓库中某 SKU 的现有数量；0 表示售罄。',
    },
    'sandbox.price': {
      summary: '修改沙盒价格',
      description: '设置某 SKU 的批发标价，以最小货币单位计。',
    },
    'sandbox.ship': {
      summary: '在沙盒中发货',
      description: '让订单立即离开仓库。使用管理令牌，或使用拥有该订单的渠道的 bearer。',
    },
    'sandbox.intercept': {
      summary: '在沙盒中拦截',
      description: '拦下途中的一件代发订单。使用管理令牌，或使用拥有该订单的渠道的 bearer。',
    },
    'errors.list': {
      summary: '错误码目录',
      description: '列出全部稳定的错误码，包括其 HTTP 状态码、以调用方语言给出的说明，以及重试是否有用。',
    },
    'errors.read': { summary: '查看一个错误码', description: '返回错误码目录中的一项。' },
    'warehouses.list': {
      summary: '列出仓库',
      description: '列出渠道可用的实体仓库和公司级汇总视图。',
    },
    'stock.list': {
      summary: '查询仓库库存',
      description:
        '可查询整个仓库、其中一页、一个款式（product_code）或一个 SKU（sku）。不带 page 和 page_size 时返回全部行。之后请从第一页的版本号（version）开始跟进变更流。',
    },
    'stock.changes': {
      summary: '自某一版本号以来的库存变更',
      description:
        '返回自游标之后发生变更的行，每个 SKU 只出现一次且为最新状态；已撤下的 SKU 数量为 0 并带有 removed: true。请把 version 作为下一次的 since 传回。每行 1 点，最少 1 点，最多 60 点；页面会按剩余点数截断。needs_full_sync 表示需要全量拉取。最后一页用 row_count 和 checksum 自证。',
    },
    'stock.checksum': {
      summary: '仓库库存的校验',
      description: '返回版本号、行数和校验和，供您与自己的副本比对。',
    },
    'products.list': {
      summary: '列出商品',
      description: '列出款式及其 SKU，按 product_code 排序；q 会在所有语言的名称、款式编码和 SKU 中搜索。',
    },
    'products.read': { summary: '查看一个商品', description: '返回一个款式及其 SKU。' },
    'shipping_methods.list': {
      summary: '列出配送方式',
      description: '列出批发订单从渠道可用仓库发出的全部方式。',
    },
    'addresses.list': {
      summary: '列出地址',
      description: '列出渠道所对应客户的收货地址。没有对应客户的渠道返回空列表。',
    },
    'admin.channels.create': {
      summary: '创建渠道',
      description: '返回渠道及其客户端密钥；密钥只在此时显示一次。',
    },
    'admin.channels.list': {
      summary: '列出渠道',
      description: '列出全部渠道及其套餐、白名单、配额和客户端密钥（不含密钥的值）。',
    },
    'admin.channels.read': { summary: '查看一个渠道', description: '返回一个渠道。' },
    'admin.channels.change': {
      summary: '修改渠道',
      description: '可修改名称、套餐、白名单、客户、配额和业务开关；现有令牌在一秒内生效。',
    },
    'admin.channels.delete': {
      summary: '删除渠道',
      description: '吊销渠道的客户端密钥和令牌。渠道代码不会再分配给其他渠道。',
    },
    'admin.secrets.create': {
      summary: '签发客户端密钥',
      description: '返回新的客户端密钥，只显示这一次。旧的密钥在删除之前仍然有效。',
    },
    'admin.secrets.delete': {
      summary: '删除客户端密钥',
      description: '吊销该客户端密钥，以及用它签发的令牌。',
    },
    'admin.plan_requests.list': {
      summary: '列出全部套餐申请',
      description: '列出所有渠道的套餐申请，最新的在前。',
    },
    'admin.plan_requests.approve': {
      summary: '批准套餐申请',
      description: '设置套餐；现有令牌在一秒内生效。',
    },
    'admin.plan_requests.decline': {
      summary: '拒绝套餐申请',
      description: '套餐保持不变。',
    },
  },
  webhooks: {
    'stock.changed': {
      summary: '仓库的库存有变化',
      description:
        '每个仓库 5 秒内最多一个，带有自上一个事件以来变化的行，至多 100 行。请把它当作提醒：从已有的版本号起跟随变更流；更旧的内容已经知道。',
    },
    'order.created': {
      summary: '订单已提交',
      description:
        '每个批发订单或一件代发订单一次，在 ERP 收下它时发出；起初结果不明的订单也是如此。不含收件人。',
    },
    answer: {
      summary: '已收到。任何 2xx 均可，应答正文不会被读取。',
      description:
        '其他任何应答（包括重定向），或 15 秒内没有应答，都算失败：将在 30 秒、2 分钟、10 分钟、1 小时和 6 小时后以相同的 event_id 再次发送；6 次之后成为死信。',
    },
  },
  mcp: {
    summary: '供智能体使用的业务操作',
    description:
      '基于 Streamable HTTP 的 Model Context Protocol，无会话，使用本 API 的 Bearer 令牌：check_stock、find_products、get_statement、quote_order、place_order、cancel_order、quote_dropship、place_dropship、release_dropship、list_endpoints、call_endpoint。权限、点数和应答均与其背后的调用一致。',
  },
  actions: {
    check_stock: '查库存',
    find_products: '找商品',
    get_statement: '对账单',
    quote_order: '批发订单试算',
    place_order: '提交批发订单',
    cancel_order: '作废订单',
    quote_dropship: '一件代发试算',
    place_dropship: '提交一件代发',
    release_dropship: '释放占用的库存',
    list_endpoints: '列出接口',
    call_endpoint: '调用接口',
  },
  things: {
    address: '地址',
    cart: '购物车',
    channel: '渠道',
    dropship_order: '一件代发订单',
    event: '事件',
    hold: '占用',
    inbox: '收件箱',
    order: '订单',
    plan_request: '套餐申请',
    reservation: '预留',
    secret: '客户端密钥',
    shipment: '发货记录',
    shipping_method: '配送方式',
    webhook_delivery: 'Webhook 投递',
    webhook_endpoint: 'Webhook 端点',
    write_in_doubt: '存疑的写入',
  },
  fields: fieldsZh,
  settings: settingsZh,
  site: siteZh,
}
