import { GatewayError } from '../../contract/errors.ts'
import type { Stage, StageFactory } from './authenticate.ts'

const retrySeconds = 1

/**
 * Reproduces two failures of the gateway itself, `AUTHZ_UNAVAILABLE` and `INTERNAL`, if a sandbox caller requests them
 * with `X-Sandbox-Fault`. The ERP handles all other values. With any other ERP the header is ignored.
 */
export const readSandboxFault: StageFactory = ({ access }) =>
  access === 'bearer' ? throwRequestedFault : undefined

const throwRequestedFault: Stage = ({ fault }) => {
  const [code] = fault?.split(';', 1) ?? []
  const asked = code?.trim()
  if (asked === 'AUTHZ_UNAVAILABLE') throw new GatewayError('AUTHZ_UNAVAILABLE', { retryAfter: retrySeconds })
  if (asked === 'INTERNAL') throw new GatewayError('INTERNAL', { cause: 'asked for by X-Sandbox-Fault' })
  return undefined
}
