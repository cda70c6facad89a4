import { capabilitiesOfPlan, planWith } from '../../access/plans.ts'
import type { Caller, Capability } from '../../contract/call.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { GatewayError } from '../../contract/errors.ts'
import { checkWarehouse, usableWarehouses } from '../../operations/warehouses.ts'
import type { StageFactory } from './authenticate.ts'

/** The capability that the endpoint declares, and the business switch behind it. */
export const requireCapability: StageFactory = (endpoint) => {
  const { capability } = endpoint
  if (capability === undefined) return undefined
  const business = businessOf(endpoint)
  return ({ caller }) => {
    if (!caller?.capabilities.has(capability)) throw scopeDenied(capability, caller)
    if (business && !caller.switches[business]) throw switchedOff(capability, caller, business)
    return undefined
  }
}

/** A business that is switched off begins nothing new; what exists can be read, voided and released. */
function businessOf({ capability, oms, method }: Endpoint): keyof Caller['switches'] | undefined {
  if (capability === 'webhooks.manage')
    return method === 'GET' || method === 'DELETE' ? undefined : 'webhooks'
  if (!oms) return undefined
  return capability === 'dropship.write' ? 'dropship' : 'wholesale'
}

function switchedOff(capability: Capability, { plan }: Caller, business: keyof Caller['switches']) {
  return new GatewayError('SCOPE_DENIED', {
    reason: 'switched_off',
    say: ['switched_off', { what: `${business}_enabled` }],
    more: { required_capability: capability, plan, required_plan: planWith(capability) },
  })
}

function scopeDenied(capability: Capability, caller: Caller | undefined): GatewayError {
  const required = planWith(capability)
  const byAccount = caller?.account !== undefined && capabilitiesOfPlan[caller.plan].includes(capability)
  return new GatewayError('SCOPE_DENIED', {
    say: byAccount
      ? ['capability_account', { capability, account: caller?.account?.username ?? '' }]
      : ['capability_missing', { capability, plan: caller?.plan ?? '' }],
    more: { required_capability: capability, plan: caller?.plan, required_plan: required },
  })
}

/** Creation follows the rules of an OMS account, so it needs the token of one. */
export const requireOmsLogin: StageFactory = ({ oms }) => {
  if (!oms) return undefined
  return ({ caller }) => {
    if (caller?.grant_type === 'password') return undefined
    throw new GatewayError('OMS_LOGIN_REQUIRED')
  }
}

/** The warehouse in the path or in the body: known first, then on the channel's allowlist. */
export const requireWarehouse: StageFactory = (endpoint, gateway) => {
  if (endpoint.body && 'warehouse_code' in endpoint.body.shape) {
    return ({ caller, input }) => {
      const { warehouse_code: named }: { warehouse_code?: string } = Object(input)
      if (caller && named !== undefined) usableWarehouses(gateway, caller, named)
      return undefined
    }
  }
  if (!('warehouse_code' in endpoint.params)) return undefined
  return (call) => {
    checkWarehouse(gateway, call.caller, call.params.warehouse_code ?? '')
    return undefined
  }
}

/** An environment without writes refuses them before anything is looked at; the port refuses again. */
export const refuseWhenReadOnly: StageFactory = (endpoint, gateway) => {
  if (!endpoint.writesUpstream || gateway.config.writesEnabled) return undefined
  return () => {
    throw new GatewayError('READ_ONLY_MODE')
  }
}
