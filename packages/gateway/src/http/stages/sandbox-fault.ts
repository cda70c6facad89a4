import { GatewayError } from '../../contract/errors.ts'
import type { Stage, StageFactory } from './authenticate.ts'

const retrySeconds = 1

/**
 * Faults of the gateway itself that a caller of the sandbox asks for on its own request, so that these two codes can
 * be met too; every other `X-Sandbox-Fault` is the ERP's. In front of any other ERP the header is not read.
 */
export const sandboxFault: StageFactory = ({ access }) => (access === 'bearer' ? showFault : undefined)

const showFault: Stage = ({ fault }) => {
  const [code] = fault?.split(';', 1) ?? []
  const asked = code?.trim()
  if (asked === 'AUTHZ_UNAVAILABLE') throw new GatewayError('AUTHZ_UNAVAILABLE', { retryAfter: retrySeconds })
  if (asked === 'INTERNAL') throw new GatewayError('INTERNAL', { cause: 'asked for by X-Sandbox-Fault' })
  return undefined
}
