import type { Caller, Capability } from '../../contract/call.ts'
import { GatewayError } from '../../contract/errors.ts'
import { capabilitiesOfPlan, findSmallestPlanWith } from '../../identity/plans.ts'
import { requireAllowedWarehouse } from '../../stock/warehouses.ts'
import type { StageFactory } from './authenticate.ts'

/** Requires the capability and the business switch that the endpoint declares. */
export const requireCapability: StageFactory = (endpoint) => {
  const { capability, businessSwitch } = endpoint
  if (capability === undefined) return undefined
  return ({ caller }) => {
    if (!caller?.capabilities.has(capability)) throw toScopeError(capability, caller)
    if (businessSwitch && !caller.switches[businessSwitch])
      throw toSwitchedOffError(capability, caller, businessSwitch)
    return undefined
  }
}

function toSwitchedOffError(capability: Capability, { plan }: Caller, business: keyof Caller['switches']) {
  return new GatewayError('SCOPE_DENIED', {
    reason: 'switched_off',
    say: ['switched_off', { what: `${business}_enabled` }],
    more: { required_capability: capability, plan, required_plan: findSmallestPlanWith(capability) },
  })
}

function toScopeError(capability: Capability, caller: Caller | undefined): GatewayError {
  const required = findSmallestPlanWith(capability)
  const byAccount = caller?.account !== undefined && capabilitiesOfPlan[caller.plan].includes(capability)
  return new GatewayError('SCOPE_DENIED', {
    say: byAccount
      ? ['capability_account', { capability, account: caller?.account?.username ?? '' }]
      : ['capability_missing', { capability, plan: caller?.plan ?? '' }],
    more: { required_capability: capability, plan: caller?.plan, required_plan: required },
  })
}

/** Requires a token of an OMS account, because the ERP applies the account's rules to new orders. */
export const requireOmsLogin: StageFactory = ({ oms }) => {
  if (!oms) return undefined
  return ({ caller }) => {
    if (caller?.grant_type === 'password') return undefined
    throw new GatewayError('OMS_LOGIN_REQUIRED')
  }
}

/** Requires that the warehouse in the path or body exists and is on the channel's allowlist. */
export const requireWarehouse: StageFactory = (endpoint, gateway) => {
  if (endpoint.body && 'warehouse_code' in endpoint.body.shape) {
    return ({ caller, input }) => {
      const { warehouse_code: named }: { warehouse_code?: string | null } = Object(input)
      if (typeof named === 'string') requireAllowedWarehouse(gateway, caller, named)
      return undefined
    }
  }
  if (!('warehouse_code' in endpoint.params)) return undefined
  return (call) => {
    requireAllowedWarehouse(gateway, call.caller, call.params.warehouse_code ?? '')
    return undefined
  }
}

/**
 * Refuses writes in read-only mode and during a pause, before the handler runs. `upstream/read-only.ts` refuses them
 * again before they reach the ERP.
 */
export const refuseWhenReadOnly: StageFactory = (endpoint, gateway) => {
  if (!endpoint.writesUpstream) return undefined
  const { writes } = gateway.upstream
  return () => {
    writes.requireOpen()
    return undefined
  }
}
