import type { ErpDocument } from '@trade-gateway/connector'
import type { ErpReport } from '../document.ts'
import type { Gateway } from '../gateway.ts'
import { readOrigin } from '../store/restores.ts'

/** Builds the report about a document that the ERP has just returned. */
export function toErpReport({ clock, config, memory }: Gateway, document: ErpDocument): ErpReport {
  const { traceParent } = memory.tracing
  return { document, now: clock.now(), origin: readOrigin(memory), baseUrl: config.baseUrl, traceParent }
}
