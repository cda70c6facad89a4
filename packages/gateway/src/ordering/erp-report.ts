import type { ErpDocument } from '@trade-gateway/connector'
import type { ErpReport } from '../document.ts'
import type { Gateway } from '../gateway.ts'

/** Builds the report about a document that the ERP has just returned. */
export function toErpReport({ clock, config }: Gateway, document: ErpDocument): ErpReport {
  return { document, now: clock.now(), baseUrl: config.baseUrl }
}
