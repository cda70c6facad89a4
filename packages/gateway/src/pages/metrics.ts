import { requireAdmin } from '../access/identify.ts'
import { type AuditedEndpoint, withAudit } from '../audit/audit.ts'
import type { ApiResponse, Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { isSameText } from '../kernel/crypto.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'

/** The path of the metrics. It is the operator's, so the contract does not contain it. */
export const metricsPath = '/metrics'
/** A read with the admin token, for the audit log. A scraper repeats it. */
const adminRead: AuditedEndpoint = { id: 'admin.metrics', method: 'GET', query: {}, polled: true }

/**
 * Creates the pipeline of `/metrics`, which responds in Prometheus' text format. It takes `METRICS_TOKEN` as a bearer
 * token, or the admin token in `x-admin-token`, and with `METRICS_PUBLIC` nothing.
 */
export function createMetricsPipeline(gateway: Gateway): Pipeline {
  return async (call) => {
    call.route = metricsPath
    try {
      requireRead(call)
      return await (usesAdminToken(gateway, call) ? readAsAdmin : readAsScraper)(gateway, call)
    } catch (error) {
      return toFailureResponse(error, call, (fault) => {
        gateway.log.error({ request_id: call.requestId, error: fault }, 'the metrics failed inside')
      })
    }
  }
}

function requireRead({ method }: Call) {
  if (method === 'GET' || method === 'HEAD') return
  const allowed = 'GET, HEAD'
  throw new GatewayError('BAD_REQUEST', {
    status: 405,
    say: ['method_not_allowed', { method, path: metricsPath, allowed }],
    headers: ['Allow', allowed],
  })
}

function usesAdminToken({ config: { metrics, adminToken } }: Gateway, call: Call): boolean {
  return !metrics.isPublic && adminToken !== undefined && call.header('x-admin-token').length > 0
}

function readAsAdmin(gateway: Gateway, call: Call): Promise<ApiResponse> {
  return withAudit(gateway, adminRead, call, async () => {
    await requireAdmin(gateway, call)
    return readMetrics(gateway)
  })
}

async function readAsScraper(gateway: Gateway, call: Call): Promise<ApiResponse> {
  await requireMetricsToken(gateway, call)
  return readMetrics(gateway)
}

/** Throws `ADMIN_UNAUTHORIZED`, `ADMIN_DISABLED` if no token is set, or `RATE_LIMITED` after wrong tokens. */
async function requireMetricsToken(gateway: Gateway, call: Call): Promise<void> {
  const { metricsGuard } = gateway
  const { metrics, adminToken } = gateway.config
  if (metrics.isPublic) return
  if (metrics.token === undefined && adminToken === undefined) {
    throw new GatewayError('ADMIN_DISABLED', { say: ['metrics_closed'], hint: ['hint_metrics_closed'] })
  }
  // The guard is not that of the admin token, so that a scraper with an old metrics token does not lock operators out.
  const [sent = '', ...more] = call.header('authorization')
  const [, given] = /^bearer +(\S+)$/i.exec(sent) ?? []
  const { token } = metrics
  const isRight = () => token !== undefined && given !== undefined && isSameText(given, token)
  try {
    // A request without a token is not a guess, so the guard does not count it.
    const isGuess = given !== undefined && more.length === 0
    if (isGuess && (await metricsGuard.compare(call.address, isRight))) return
    throw new GatewayError('ADMIN_UNAUTHORIZED', { say: ['metrics_token'], hint: ['hint_metrics_token'] })
  } catch (error) {
    metricsGuard.noteRefusal(call.requestId)
    throw error
  }
}

async function readMetrics({ memory }: Gateway): Promise<ApiResponse> {
  const { metrics } = memory
  return {
    status: 200,
    headers: ['Content-Type', metrics.registry.contentType, 'Cache-Control', 'no-store'],
    body: await metrics.read(),
  }
}
