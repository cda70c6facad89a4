import { identifyCaller, requireAdmin } from '../../access/identify.ts'
import type { ApiResponse, Call } from '../../contract/call.ts'
import type { Endpoint } from '../../endpoint.ts'
import type { Gateway } from '../../gateway.ts'

/**
 * A step of the pipeline. It returns a response to end the call, or undefined to continue. Its factory runs once at
 * startup and decides everything that depends only on the endpoint's declaration.
 */
export type Stage = (call: Call) => ApiResponse | undefined | Promise<ApiResponse | undefined>
export type StageFactory = (endpoint: Endpoint, gateway: Gateway) => Stage | undefined

/** Requires a bearer token on the public contract, and the admin token on the operator's endpoints. */
export const authenticate: StageFactory = (endpoint, gateway) => {
  if (endpoint.access === 'public') return undefined
  if (endpoint.access === 'admin') return (call) => requireAdmin(gateway, call)
  return (call) => identifyCaller(gateway, call)
}
