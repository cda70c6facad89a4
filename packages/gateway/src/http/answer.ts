import { audited } from '../admin/audit.ts'
import { prefersCsv } from '../contract/accept.ts'
import { answerFrom, listAnswer } from '../contract/answer.ts'
import type { Answer, Call } from '../contract/call.ts'
import { columnsOf } from '../contract/csv.ts'
import { type Endpoint, Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { idempotent } from '../operations/idempotency.ts'
import type { AnyWrite } from '../operations/intent.ts'
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
import { sandboxFault } from './stages/sandbox-fault.ts'

/** The door: every call of the contract, from HTTP or in process, comes through here. Never throws. */
export type Door = (call: Call) => Promise<Answer>

/** What comes before idempotency, in the contract's order. Read-only mode comes after it: a replay is a read. */
const stages = [
  sandboxFault,
  authenticate,
  requireCapability,
  requireOmsLogin,
  parse,
  requireWarehouse,
  meter,
]

interface Route {
  readonly endpoint: Endpoint
  readonly before: readonly Stage[]
  readonly refuse: Stage | undefined
  /** The columns of a list that can be CSV. */
  readonly columns: readonly string[] | undefined
}

const replayPoints = 1

/** Builds the door over a list of endpoints, and the kinds of writes that they begin. */
export function createDoor(
  gateway: Gateway,
  endpoints: readonly Endpoint[],
  writes: readonly AnyWrite[] = [],
): Door {
  const router = new Router<Route>()
  for (const endpoint of endpoints) {
    const before = stages.map((stage) => stage(endpoint, gateway)).filter((stage) => stage !== undefined)
    const columns = endpoint.csv ? columnsOf(endpoint) : undefined
    router.add(endpoint, { endpoint, before, refuse: refuseWhenReadOnly(endpoint, gateway), columns })
  }

  return async (call) => {
    let answer: Answer
    try {
      answer = await pass({ gateway, writes }, router, call)
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

/** What lies behind the door. */
interface Rooms {
  readonly gateway: Gateway
  readonly writes: readonly AnyWrite[]
}

async function pass(rooms: Rooms, router: Router<Route>, call: Call): Promise<Answer> {
  if (isLegacyPath(call.path)) throw legacyError(call.path)
  const { route, params } = router.match(call.method, call.path)
  call.params = params
  call.route = route.endpoint.path
  if (route.endpoint.access !== 'admin') return walk(rooms, route, call)
  return audited(rooms.gateway, route.endpoint, call, () => walk(rooms, route, call))
}

async function walk({ gateway, writes }: Rooms, route: Route, call: Call): Promise<Answer> {
  for (const stage of route.before) {
    const early = stage(call)
    if (early === undefined) continue
    const answer = early instanceof Promise ? await early : early
    if (answer) return answer
  }
  // A request that nobody has signed has no owner to whom a key could belong.
  const { method, access } = route.endpoint
  const hasKey = method !== 'GET' && access !== 'public'
  if (!hasKey) return handled(gateway, route, call)
  const { answer, replayed } = await idempotent(gateway, route.endpoint, call, writes, () =>
    handled(gateway, route, call),
  ).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code.startsWith('IDEMPOTENCY_'))
      settleFor(gateway, call, replayPoints)
    throw error
  })
  if (replayed) settleFor(gateway, call, replayPoints)
  return answer
}

async function handled(gateway: Gateway, route: Route, call: Call): Promise<Answer> {
  const { endpoint, refuse, columns } = route
  const refused = await refuse?.(call)
  if (refused) return refused
  const context = { gateway, call, input: Object(call.input), caller: call.caller }
  const outcome = await endpoint.handle(handleContext(context))
  const reply = outcome instanceof Reply ? outcome : new Reply(outcome)
  return columns
    ? listAnswer(reply, columns, prefersCsv(call.header('accept')))
    : answerFrom(reply, endpoint.status)
}

/** The cast holds: the stages before parsed the input and set the caller wherever the endpoint needs one. */
function handleContext(context: unknown): Parameters<Endpoint['handle']>[0] {
  return context as Parameters<Endpoint['handle']>[0]
}
