import type { AnyWrite } from '../writes/intent.ts'
import { endpoints as audit } from './audit/endpoints.ts'
import { endpoints as channels } from './channels/endpoints.ts'
import { createDoubtEndpoints } from './doubts/endpoints.ts'
import { endpoints as planRequests } from './plan-requests/endpoints.ts'
import { endpoints as requests } from './requests/endpoints.ts'
import { endpoints as tokens } from './tokens/endpoints.ts'

/** Lists the operator's endpoints, in the order of the documentation. */
export function createAdminEndpoints(writes: readonly AnyWrite[]) {
  return [
    ...channels,
    ...tokens,
    ...planRequests,
    ...requests,
    ...createDoubtEndpoints(writes),
    ...audit,
  ] as const
}
