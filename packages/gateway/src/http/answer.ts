import { audited } from '../admin/audit.ts'
import type { Answer, Call, Prebuilt } from '../contract/call.ts'
import { type Endpoint, Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { idempotent } from '../operations/idempotency.ts'
import { failureAnswer } from './failure.ts'
import { isLegacyPath, legacyError } from './legacy.ts'
import { Router } from './router.ts'
import { authenticate, type Stage } from './stages/authenticate.ts'
import { meter, quotaHeaders, settleFor } from './stages/meter.ts'
import { parse } from './stages/parse.ts'
import {
  refuseWhenReadOnly,
  requireCapability,
  requireOmsLogin,
  requireWarehouse,
} from './stages/permissions.ts'

/** The door: every call of the contract, from HTTP or in process, comes through here. Never throws. */
export type Door = (call: Call) => Promise<Answer>

/** What comes before idempotency, in the contract's order. Read-only mode comes after it: a replay is a read. */
const stages = [authenticate, requireCapability, requireOmsLogin, parse, requireWarehouse, meter]

interface Route {
  readonly endpoint: Endpoint
  readonly before: readonly Stage[]
  readonly refuse: Stage | undefined
}

const json = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'private, no-cache']
const replayPoints = 1

/** Builds the door over a list of endpoints. */
export function createDoor(gateway: Gateway, endpoints: readonly Endpoint[]): Door {
  const router = new Router<Route>()
  for (const endpoint of endpoints) {
    const before = stages.map((stage) => stage(endpoint, gateway)).filter((stage) => stage !== undefined)
    router.add(endpoint, { endpoint, before, refuse: refuseWhenReadOnly(endpoint, gateway) })
  }

  return async (call) => {
    let answer: Answer
    try {
      answer = await pass(gateway, router, call)
    } catch (error) {
      answer = failureAnswer(error, call, (fault) => {
        gateway.log.error(
          { request_id: call.requestId, method: call.method, error: fault },
          'a call failed inside',
        )
      })
    }
    const headers = [...answer.headers, ...quotaHeaders(gateway, call), ...(call.extraHeaders ?? [])]
    return { ...answer, headers }
  }
}

async function pass(gateway: Gateway, router: Router<Route>, call: Call): Promise<Answer> {
  if (isLegacyPath(call.path)) throw legacyError(call.path)
  const { route, params } = router.match(call.method, call.path)
  call.params = params
  call.route = route.endpoint.path
  if (route.endpoint.access !== 'admin') return walk(gateway, route, call)
  return audited(gateway, route.endpoint, call, () => walk(gateway, route, call))
}

async function walk(gateway: Gateway, route: Route, call: Call): Promise<Answer> {
  for (const stage of route.before) {
    const early = stage(call)
    if (early === undefined) continue
    const answer = early instanceof Promise ? await early : early
    if (answer) return answer
  }
  // A token request has no owner to whom a key could belong, and its token may not be kept for a replay.
  const hasKey = route.endpoint.method !== 'GET' && route.endpoint.bodyKind !== 'oauth'
  if (!hasKey) return handled(gateway, route, call)
  const { answer, replayed } = await idempotent(gateway, route.endpoint, call, () =>
    handled(gateway, route, call),
  ).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code.startsWith('IDEMPOTENCY_'))
      settleFor(gateway, call, replayPoints)
    throw error
  })
  if (replayed) settleFor(gateway, call, replayPoints)
  return answer
}

async function handled(gateway: Gateway, { endpoint, refuse }: Route, call: Call): Promise<Answer> {
  const refused = await refuse?.(call)
  if (refused) return refused
  const context = { gateway, call, input: Object(call.input), caller: call.caller }
  const outcome = await endpoint.handle(handleContext(context))
  const reply = outcome instanceof Reply ? outcome : new Reply(outcome)
  const status = reply.status ?? endpoint.status ?? 200
  const headers = withDefaults(reply.headers)
  return { status, headers, body: bodyOf(reply.body) }
}

/** The cast holds: the stages before parsed the input and set the caller wherever the endpoint needs one. */
function handleContext(context: unknown): Parameters<Endpoint['handle']>[0] {
  return context as Parameters<Endpoint['handle']>[0]
}

/** An endpoint's own `Cache-Control` replaces the usual one. */
function withDefaults(own: readonly string[]): string[] {
  const vary = own.includes('Content-Language') ? 'Accept-Language, Accept-Encoding' : 'Accept-Encoding'
  const usual = own.includes('Cache-Control') ? json.slice(0, 2) : json
  return [...usual, 'Vary', vary, ...own]
}

function bodyOf(body: unknown): Answer['body'] {
  if (body === undefined) return undefined
  return isPrebuilt(body) ? body : JSON.stringify(body)
}

function isPrebuilt(body: unknown): body is Prebuilt {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'size' in body
}
