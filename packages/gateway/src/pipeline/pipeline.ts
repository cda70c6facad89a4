import { withAudit } from '../audit/audit.ts'
import { prefersCsv } from '../contract/accept.ts'
import type { ApiResponse, Call } from '../contract/call.ts'
import { listColumns } from '../contract/csv.ts'
import { GatewayError } from '../contract/errors.ts'
import { isNotFilledError } from '../contract/not-filled.ts'
import { Reply } from '../contract/reply.ts'
import { toListResponse, toResponse } from '../contract/response.ts'
import { acceptsIdempotencyKey, type Endpoint, notModifiedPoints } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { runOnce } from '../idempotency/run.ts'
import { isList, sealNextCursor } from '../lists/request.ts'
import type { AnyWrite } from '../writes/intent.ts'
import { toFailureResponse } from './failure.ts'
import { describeLegacyPath, isLegacyPath, toLegacyError } from './legacy.ts'
import { chargeRefusal } from './refusals.ts'
import { Router } from './router.ts'
import { authenticate, type Stage } from './stages/authenticate.ts'
import { adjustCharge, buildQuotaHeaders, chargePoints } from './stages/meter.ts'
import { parseInput } from './stages/parse.ts'
import {
  refuseWhenReadOnly,
  requireCapability,
  requireOmsLogin,
  requireWarehouse,
} from './stages/permissions.ts'
import { readSandboxFault } from './stages/sandbox-fault.ts'

/**
 * Runs every call of the API, from HTTP or in process. Returns a promise only if the call waits for something, so that
 * a read is complete on the stack of its request. Never throws, and its promise never rejects.
 */
export type Pipeline = (call: Call) => ApiResponse | Promise<ApiResponse>

/**
 * The stages before idempotency, in the contract's order. Read-only mode is checked after idempotency, because
 * replaying a stored response writes nothing.
 */
const stages = [
  readSandboxFault,
  authenticate,
  requireCapability,
  requireOmsLogin,
  parseInput,
  requireWarehouse,
  chargePoints,
]

interface Route {
  readonly endpoint: Endpoint
  readonly before: readonly Stage[]
  readonly refuse: Stage | undefined
  readonly acceptsKey: boolean
  readonly isList: boolean
  /** The columns of a list that is available as CSV. */
  readonly columns: readonly string[] | undefined
}

const replayPoints = 1

/** Builds the pipeline for a list of endpoints. `writes` are the kinds of writes that these endpoints start. */
export function createPipeline(
  gateway: Gateway,
  endpoints: readonly Endpoint[],
  writes: readonly AnyWrite[] = [],
): Pipeline {
  const router = new Router<Route>()
  for (const endpoint of endpoints) {
    const before = stages.map((stage) => stage(endpoint, gateway)).filter((stage) => stage !== undefined)
    const columns = endpoint.csv ? listColumns(endpoint) : undefined
    const refuse = refuseWhenReadOnly(endpoint, gateway)
    const acceptsKey = acceptsIdempotencyKey(endpoint)
    router.add(endpoint, { endpoint, before, refuse, acceptsKey, isList: isList(endpoint), columns })
  }

  const parts = { gateway, writes, router }
  // An error becomes a response inside `run`: each time that it is thrown again costs a refusal a microsecond.
  return (call) =>
    gateway.memory.tracing.run(call, () => {
      try {
        return dispatch(parts, call)
      } catch (error) {
        return fail(gateway, call, error)
      }
    })
}

/** Ends a call with an error. */
function fail(gateway: Gateway, call: Call, error: unknown): ApiResponse {
  const response = toFailureResponse(error, call, (fault) => {
    const { requestId, method } = call
    gateway.log.error({ request_id: requestId, method, error: fault }, 'a call failed inside')
  })
  return withCallHeaders(gateway, call, response)
}

/** Adds the headers that depend on the call: the caller's quota, and those that the stages added. */
export function withCallHeaders(gateway: Gateway, call: Call, response: ApiResponse): ApiResponse {
  const headers = [...response.headers, ...buildQuotaHeaders(gateway, call), ...(call.extraHeaders ?? [])]
  return { ...response, headers }
}

interface PipelineParts {
  readonly gateway: Gateway
  readonly writes: readonly AnyWrite[]
  readonly router: Router<Route>
}

/** Finds the endpoint of a call and runs it. Throws an error that is not charged. */
function dispatch(parts: PipelineParts, call: Call): ApiResponse | Promise<ApiResponse> {
  const { gateway, router } = parts
  if (isLegacyPath(call.path)) {
    gateway.memory.metrics.legacyPaths.inc()
    call.legacyPath = describeLegacyPath(call.path)
    throw toLegacyError(call.path)
  }
  const { route, params } = router.match(call.method, call.path)
  call.params = params
  call.route = route.endpoint.path
  // `TokenGuard` limits attempts with wrong admin tokens.
  if (route.endpoint.access === 'admin') {
    const run = async () => runStages(parts, route, call)
    return withAudit(gateway, route.endpoint, call, run)
      .then((response) => withCallHeaders(gateway, call, response))
      .catch((error: unknown) => fail(gateway, call, error))
  }
  try {
    const response = runStages(parts, route, call)
    if (!(response instanceof Promise)) return withCallHeaders(gateway, call, response)
    return response
      .then((waited) => withCallHeaders(gateway, call, waited))
      .catch((error: unknown) => refuse(gateway, call, error))
  } catch (error) {
    return refuse(gateway, call, error)
  }
}

/** Ends a call with an error, after its channel or its address was charged for that. */
function refuse(gateway: Gateway, call: Call, error: unknown): ApiResponse | Promise<ApiResponse> {
  // The client did nothing wrong, and its retry must not lack the points.
  if (isNotFilledError(error)) adjustCharge(gateway, call, 0)
  const charged = chargeRefusal(gateway, call, error)
  if (!(charged instanceof Promise)) return fail(gateway, call, charged)
  return charged.then((decided) => fail(gateway, call, decided))
}

/** Runs the stages from number `from`. Only a stage that waits makes the rest of the call wait too. */
function runStages(
  parts: PipelineParts,
  route: Route,
  call: Call,
  from = 0,
): ApiResponse | Promise<ApiResponse> {
  for (let at = from; at < route.before.length; at++) {
    const early = route.before[at]?.(call)
    if (early === undefined) continue
    if (!(early instanceof Promise)) return early
    return early.then((response) => response ?? runStages(parts, route, call, at + 1))
  }
  return runOperation(parts, route, call)
}

function runOperation(
  { gateway, writes }: PipelineParts,
  route: Route,
  call: Call,
): ApiResponse | Promise<ApiResponse> {
  if (!route.acceptsKey) return runHandler(gateway, route, call)
  return runOnce({ gateway, endpoint: route.endpoint, call, writes }, async () =>
    runHandler(gateway, route, call),
  ).then(
    ({ response, replayed }) => {
      if (replayed) adjustCharge(gateway, call, replayPoints)
      return response
    },
    (error: unknown) => {
      if (error instanceof GatewayError && error.code.startsWith('IDEMPOTENCY_'))
        adjustCharge(gateway, call, replayPoints)
      throw error
    },
  )
}

function runHandler(gateway: Gateway, route: Route, call: Call): ApiResponse | Promise<ApiResponse> {
  const { endpoint, refuse } = route
  refuse?.(call)
  const context = { gateway, call, input: Object(call.input), caller: call.caller }
  const outcome: unknown = endpoint.handle(toHandleContext(context))
  return outcome instanceof Promise
    ? outcome.then((result) => toSuccess(gateway, { route, call, outcome: result }))
    : toSuccess(gateway, { route, call, outcome })
}

/** What a handler returned, and to which call. */
interface Outcome {
  readonly route: Route
  readonly call: Call
  readonly outcome: unknown
}

function toSuccess(gateway: Gateway, { route, call, outcome }: Outcome): ApiResponse {
  const { endpoint, columns, isList } = route
  const returned = outcome instanceof Reply ? outcome : new Reply(outcome)
  // The price of a process whose copy is older than the client's is that of a whole response.
  if (returned.status === 304) adjustCharge(gateway, call, notModifiedPoints)
  const reply = isList ? sealNextCursor(gateway, call, returned) : returned
  return columns
    ? toListResponse(reply, columns, prefersCsv(call.header('accept')))
    : toResponse(reply, endpoint.status)
}

/**
 * Types the context of a handler. The cast holds because earlier stages parsed the input and set the caller wherever the
 * endpoint requires one.
 */
function toHandleContext(context: unknown): Parameters<Endpoint['handle']>[0] {
  return context as Parameters<Endpoint['handle']>[0]
}
