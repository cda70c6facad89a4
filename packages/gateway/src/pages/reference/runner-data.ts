import { visitorPlan } from '../../access/visitors.ts'
import { catalogue, sandboxCatalogue } from '../../catalogue.ts'
import type { SiteWord } from '../../contract/texts/site/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import type { DocumentedEndpoint } from '../../endpoint.ts'
import { capabilitiesOfPlan } from '../../identity/plans.ts'
import { type Html, html } from '../html.ts'
import type { PageView } from '../page.ts'
import { visitorToken } from '../visitors/endpoints.ts'
import type { EndpointSample } from './samples.ts'

/** Where the reader's own values of a variable are listed. */
interface Source {
  readonly path: string
  readonly field: string
}

const words = [
  'run',
  'run_sign_in',
  'run_sign_in_text',
  'run_kind',
  'run_kind_oms',
  'run_kind_channel',
  'run_username',
  'run_password',
  'run_client_id',
  'run_client_secret',
  'run_visit',
  'run_visit_text',
  'run_visitor',
  'run_sign_out',
  'run_signed_in',
  'run_send',
  'run_write',
  'run_body',
  'run_request_id',
  'run_left',
  'run_sending',
  'run_failed',
  'run_refused',
  'run_bad_body',
  'run_cut',
  'status',
  'points',
  'answer',
  'close',
] as const satisfies readonly SiteWord[]

/**
 * Renders what the runner needs, as an attribute: where its script is, the request, and its texts. Undefined if the page
 * must not call the endpoint: the operator's need the admin token, a sign-in has no token yet, and an agent’s protocol
 * is no call of a form.
 */
export function renderRunnerData(
  endpoint: DocumentedEndpoint,
  { path, query, body }: EndpointSample,
  { language, assetPath }: PageView,
): Html | undefined {
  if (endpoint.access === 'admin' || endpoint.bodyKind === 'oauth' || endpoint.isProtocol) return undefined
  const data = {
    script: assetPath('runner.js'),
    style: assetPath('runner.css'),
    request: { method: endpoint.method, path, query, body },
    sources: findSources(endpoint),
    ...(isForVisitors(endpoint) ? { visitor: visitorToken.path } : {}),
    // The runner fills in the details.
    words: Object.fromEntries(words.map((word) => [word, texts[language].site[word]])),
  }
  return html` data-run="${JSON.stringify(data)}"`
}

/** Whether a visitor’s token may make the call. A visitor has no account, and changes nothing. */
function isForVisitors({ method, capability, oms }: DocumentedEndpoint): boolean {
  const allowed = capabilitiesOfPlan[visitorPlan]
  return method === 'GET' && !oms && (capability === undefined || allowed.includes(capability))
}

/** Finds the list from which a reader chooses an id: `/api/v1/orders` for `/api/v1/orders/{order_id}/submit`. */
function findSources({ path }: DocumentedEndpoint): Record<string, Source> {
  const lists = [...catalogue, ...sandboxCatalogue].filter(({ method }) => method === 'GET')
  return Object.fromEntries(
    [...path.matchAll(/\/\{(\w+)\}/g)].flatMap(({ index, 1: field = '' }) => {
      const list = path.slice(0, index)
      return lists.some((each) => each.path === list) ? [[field.toUpperCase(), { path: list, field }]] : []
    }),
  )
}
