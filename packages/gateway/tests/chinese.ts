/** Rules for Chinese alone, for the texts of the gateway and of the console, and for guides. */

/** A pattern that Chinese prose must not contain. The example shows that the pattern matches. */
interface Rule {
  readonly wrong: RegExp
  readonly example: string
  readonly instead: string
}

const createRule = (wrong: RegExp, example: string, instead: string): Rule => ({ wrong, example, instead })

/** One word per meaning: the pattern of the word to avoid, and the word of the glossary. */
const words: readonly Rule[] = [
  createRule(/能力/gu, '缺少所需能力', '权限；ERP 的 capability 为功能'),
  createRule(/应答/gu, '应答有 10 字节', '响应'),
  createRule(/变化/gu, '库存有变化', '变更'),
  createRule(/写入(?!日志|文件)/gu, '拒绝写入 ERP', '写操作'),
  createRule(/总价/gu, '确认总价', '总额'),
  createRule(/登记/gu, '登记端点', '注册'),
  createRule(/内嵌/gu, '内嵌数据库', '内置'),
  createRule(/控制台/gu, '控制台停用', '管理后台'),
  createRule(/契约/gu, '一份契约', '接口规范、API'),
  createRule(/(?<!已被[^，。；|]{0,10})占用/gu, '预览会占用库存', '预占；只有端口和目录被占用'),
  createRule(/可用数量|现有数量/gu, '显示可用数量', '可售数量、在库数量'),
  createRule(/汇总视图/gu, '公司级汇总视图', '汇总仓'),
  createRule(/可售目录/gu, '不在可售目录中', '可售商品'),
  createRule(/撤下/gu, 'SKU 已撤下', '已下架'),
  createRule(/跟进|跟随(?!重定向)/gu, '跟进变更流', '消费变更流'),
  createRule(/自证|证明[^，。；|]{0,6}副本/gu, '能自证的副本', '校验'),
  createRule(/发货记录/gu, '列出发货记录', '发货单'),
  createRule(/运单号/gu, '承运商的运单号', '物流单号'),
  createRule(/嵌入/gu, '嵌入式数据库', '内置'),
  createRule(/监督进程/gu, '由监督进程重新启动', '监管进程'),
  createRule(/(?<!客户)参考号/gu, 'ERP 参考号', '引用号'),
  createRule(/库存保留/gu, '库存保留已过期', '预占'),
  createRule(/仓库中的 `/gu, '仓库中的 `contract/bruno` 文件夹', '代码库'),
  createRule(/处理费/gu, '处理费', '操作费'),
  createRule(/存疑|核实处理|结果不明|尚不明确|尚不清楚/gu, '结果尚不明确', '结果未知、确认结果'),
  createRule(/(?<!信用)额度/gu, '剩余额度', '配额、点数'),
  createRule(/付得起|点数价格/gu, '点数价格', '消耗点数'),
  createRule(/账户经理/gu, '联系账户经理', '客户经理'),
  createRule(/OMS (?:网站的?)?账户/gu, 'OMS 账户', 'OMS 账号；账户只指资金'),
  createRule(/最终客户|顾客/gu, '发给顾客', '消费者'),
  createRule(/管理员/gu, '联系管理员', '运维人员'),
  createRule(/旧(?:网关|令牌的|路径)/gu, '旧网关的令牌', '旧版网关、旧版令牌、旧版路径'),
  createRule(/(?:记账|簿记)/gu, '已记账金额', '入账'),
  createRule(/试算/gu, '重新试算', '报价'),
  createRule(/直发/gu, '直发订单', '一件代发'),
  createRule(
    /(?<!仓库|国家|货币|状态|原始|字母)代码(?!库)/gu,
    '返回此代码',
    '错误码、渠道编码，或写明何种代码',
  ),
]

/** Rules for sentences. */
const sentences: readonly Rule[] = [
  createRule(/你/gu, '你的订单', '您，或调用方、接收端'),
  createRule(
    /(?<!以|如|之)下(?:了)?(?:[一二两三四五六七八九十几首]|第|\s?\d)[^，。；：|]{0,12}?订单/gu,
    '下一个订单，然后查看收件箱',
    '提交、创建',
  ),
  createRule(/[张单份笔]订单/gu, '每张订单只下一次', '个'),
  createRule(/[\d}`] 到 [\d{`]/gu, '1 到 255 个', '至'),
  createRule(/(?<!\*)\*(?![*\s])[^*`\n]*\p{sc=Han}[^*`\n]*\*(?!\*)/gu, '*恰好一次*', '**粗体**'),
  createRule(/（SAME）/gu, '相同（SAME）的幂等键', '同一个'),
  createRule(/询问/gu, '请询问运维人员', '联系（人）、查询（系统）'),
  createRule(/知道|知晓|得知|忘记|唤醒|请求方/gu, '网关知道订单已存在', '返回、查询、断开、触发'),
  createRule(/它|此处|(?<!尤)其(?![他中余次实])/gu, '此处必填', '名词'),
  createRule(/一个有效的(?![^，。；、]*\p{sc=Han})/gu, '请释放一个有效的，', '一个有效的预览'),
  createRule(/本分钟|这一分钟结束|每分钟[^，。；]{0,6}点/gu, '本分钟的点数已用完', '最近 60 秒、每 60 秒'),
  createRule(
    /\p{sc=Han}[`A-Za-z0-9]|[`A-Za-z0-9]\p{sc=Han}/gu,
    '请发送`page`',
    '汉字与代码、字母、数字之间的空格',
  ),
  createRule(/\p{sc=Han}[,;:!?()]|[,;:!?()]\p{sc=Han}/gu, '请等待,然后重试', '全角标点'),
]

/** Every rule: the words of the glossary, then the forms of the guide. */
export const rules = [...words, ...sentences]

/** Lists the words and forms of a text that a rule refuses, each with what to say instead. */
export function listComplaints(text: string): string[] {
  return rules.flatMap(({ wrong, instead }) =>
    Array.from(text.matchAll(wrong), ([found]) => `“${found}”: ${instead}`),
  )
}
