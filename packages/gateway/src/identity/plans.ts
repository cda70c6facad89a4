/**
 * The capabilities of each plan: `reader` has all read capabilities except statements, `trader` can also write, and
 * `full` adds statements.
 */

import { type Capability, capabilityNames, type Plan, planNames } from '../contract/call.ts'

/** The capabilities of the smallest plan. */
const reader = capabilityNames.filter((name) => name.endsWith('.read') && name !== 'statements.read')
const trader = capabilityNames.filter((name) => name !== 'statements.read')

export const capabilitiesOfPlan: Readonly<Record<Plan, readonly Capability[]>> = {
  reader,
  trader,
  full: capabilityNames,
}

/** Finds the smallest plan with a capability. */
export function findSmallestPlanWith(capability: Capability): Plan {
  return planNames.find((plan) => capabilitiesOfPlan[plan].includes(capability)) ?? 'full'
}

export function toPlan(word: string): Plan {
  return planNames.find((plan) => plan === word) ?? 'reader'
}
