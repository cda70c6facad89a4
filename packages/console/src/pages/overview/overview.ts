import type { ResultOf } from '../../api/client.ts'

export type Overview = ResultOf<'/admin/api/overview', 'get'>['data']
