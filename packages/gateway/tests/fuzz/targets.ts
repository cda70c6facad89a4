import { catalogueFile } from './catalogue-target.ts'
import { connectorClient } from './connector-target.ts'
import { movements } from './erp-targets.ts'
import { http } from './http-target.ts'
import { mcp } from './mcp-target.ts'
import { type FuzzTarget, toAnyTarget } from './target.ts'
import { textTargets } from './text-targets.ts'
import { jwt } from './token-target.ts'

/** Every target. */
export const targets: readonly FuzzTarget[] = [
  ...textTargets,
  ...[toAnyTarget(http), toAnyTarget(jwt), toAnyTarget(mcp)],
  ...[toAnyTarget(connectorClient), toAnyTarget(movements), toAnyTarget(catalogueFile)],
]
