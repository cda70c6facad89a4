/** The steps of the journey as requests with variables, from which the collections for other tools are written. */

import { catalogue, sandboxCatalogue } from '../../catalogue.ts'
import type { Endpoint } from '../../endpoint.ts'
import { journey } from '../journey/journey.ts'
import type { Step } from '../journey/step.ts'

/** A request of a collection. Its texts contain variables: `{{order_id}}`. */
export interface CollectionRequest {
  /** Unique within the collection. */
  readonly name: string
  readonly step: Step
  readonly endpoint: Endpoint
  /** The path after the address of the gateway, without the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly isPublic: boolean
}

const endpoints = new Map([...catalogue, ...sandboxCatalogue].map((endpoint) => [endpoint.id, endpoint]))
/** How often a request is repeated until the gateway's workers have done their part, and the time between. */
export const maxTries = 60
export const tryEveryMs = 500

/** Lists the requests of the journey in their order. */
export function listCollectionRequests(): CollectionRequest[] {
  return journey.map((step, index) => {
    const endpoint = endpoints.get(step.endpoint)
    if (!endpoint) throw new Error(`There is no endpoint ${step.endpoint}.`)
    const path = endpoint.path.replace(
      /\{(\w+)\}/g,
      (_whole, name: string) => step.params?.[name] ?? `{{${name}}}`,
    )
    return {
      name: `${String(index + 1).padStart(2, '0')} ${endpoint.summary}`,
      step,
      endpoint,
      path,
      headers: {
        ...(step.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...step.headers,
      },
      status: endpoint.status ?? 200,
      isPublic: endpoint.access === 'public' && !endpoint.path.startsWith('/sandbox/'),
    }
  })
}

/** Writes a place such as `data.0.sku` as an expression in JavaScript, undefined where a part is missing. */
export function toExpression(place: string): string {
  return place.split('.').reduce((path, name) => `${path}?.${/^\d/.test(name) ? `[${name}]` : name}`, 'body')
}
