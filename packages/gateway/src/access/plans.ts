import { type Capability, capabilityNames, type Plan, planNames } from '../contract/call.ts'

/** What each plan may do: `reader` reads all but statements, `trader` writes too, `full` adds statements. */
const reader = capabilityNames.filter((name) => name.endsWith('.read') && name !== 'statements.read')
const trader = capabilityNames.filter((name) => name !== 'statements.read')

export const capabilitiesOfPlan: Readonly<Record<Plan, readonly Capability[]>> = {
  reader,
  trader,
  full: capabilityNames,
}

/** The smallest plan that has a capability. */
export function planWith(capability: Capability): Plan {
  return planNames.find((plan) => capabilitiesOfPlan[plan].includes(capability)) ?? 'full'
}

export function planNamed(word: string): Plan {
  return planNames.find((plan) => plan === word) ?? 'reader'
}
