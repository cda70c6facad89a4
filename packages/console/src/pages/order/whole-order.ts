import type { ResultOf } from '../../api/client.ts'

export type WholeOrder = ResultOf<'/admin/api/orders/{order_id}', 'get'>['data']
