import { adminCatalogue, catalogue, sandboxCatalogue } from '../catalogue.ts'
import type { DeclaredText } from '../contract/texts/translation.ts'
import { readEnglishTexts } from '../endpoint.ts'
import { eventTexts } from '../events/types.ts'
import { actionTexts } from '../mcp/actions.ts'
import { pageEndpoints } from '../pages/endpoints.ts'
import { mcpText } from '../projections/openapi-mcp.ts'
import { webhookResponseText } from '../projections/openapi-webhooks.ts'

/** Every text whose English is part of a declaration, with its translations. */
export const declaredTexts: readonly DeclaredText[] = [
  ...[...catalogue, ...adminCatalogue, ...sandboxCatalogue, ...pageEndpoints].map((endpoint) => ({
    name: endpoint.id,
    english: readEnglishTexts(endpoint),
    zh: endpoint.translations.zh[endpoint.id],
    ko: endpoint.translations.ko[endpoint.id],
  })),
  ...eventTexts,
  mcpText,
  webhookResponseText,
  ...actionTexts,
]
