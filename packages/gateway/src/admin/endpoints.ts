import type { AnyWrite } from '../writes/intent.ts'
import { endpoints as audit } from './audit/endpoints.ts'
import { endpoints as backups } from './backups/endpoints.ts'
import { endpoints as channels } from './channels/endpoints.ts'
import { createDoubtEndpoints } from './doubts/endpoints.ts'
import { endpoints as feedback } from './feedback/endpoints.ts'
import { endpoints as holds } from './holds/endpoints.ts'
import { endpoints as legacyUse } from './legacy-use/endpoints.ts'
import { endpoints as lockouts } from './lockouts/endpoints.ts'
import { endpoints as orders } from './orders/endpoints.ts'
import { endpoints as overview } from './overview/endpoints.ts'
import { endpoints as planRequests } from './plan-requests/endpoints.ts'
import { endpoints as recipients } from './recipients/endpoints.ts'
import { endpoints as requests } from './requests/endpoints.ts'
import { endpoints as settings } from './settings/endpoints.ts'
import { endpoints as stockCopies } from './stock-copies/endpoints.ts'
import { endpoints as tokens } from './tokens/endpoints.ts'
import { endpoints as upstream } from './upstream/endpoints.ts'
import { endpoints as webhooks } from './webhooks/endpoints.ts'

/** Lists the operator's endpoints, in the order of the documentation. */
export function createAdminEndpoints(writes: readonly AnyWrite[]) {
  return [
    ...overview,
    ...channels,
    ...tokens,
    ...lockouts,
    ...planRequests,
    ...legacyUse,
    ...requests,
    ...orders,
    ...recipients,
    ...holds,
    ...webhooks,
    ...createDoubtEndpoints(writes),
    ...upstream,
    ...stockCopies,
    ...backups,
    ...feedback,
    ...settings,
    ...audit,
  ] as const
}
