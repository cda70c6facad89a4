import { jwt, mcp } from './caller-targets.ts'
import { connectorClient, movements } from './erp-targets.ts'
import { http } from './http-target.ts'
import { type FuzzTarget, toAnyTarget } from './target.ts'
import { textTargets } from './text-targets.ts'

/** Every target. */
export const targets: readonly FuzzTarget[] = [
  ...textTargets,
  ...[toAnyTarget(http), toAnyTarget(jwt), toAnyTarget(mcp)],
  ...[toAnyTarget(connectorClient), toAnyTarget(movements)],
]
