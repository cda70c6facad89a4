import { z } from 'zod'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import { type Action, anyAction } from './action.ts'
import { callEndpoint } from './actions/call-endpoint.ts'
import { cancelOrder } from './actions/cancel-order.ts'
import { checkStock } from './actions/check-stock.ts'
import { findProducts } from './actions/find-products.ts'
import { getStatement } from './actions/get-statement.ts'
import { listEndpoints } from './actions/list-endpoints.ts'
import { placeDropship } from './actions/place-dropship.ts'
import { placeOrder } from './actions/place-order.ts'
import { quoteDropship } from './actions/quote-dropship.ts'
import { quoteOrder } from './actions/quote-order.ts'
import { releaseDropship } from './actions/release-dropship.ts'
import { briefSchema } from './schema.ts'

/** Every business action, in the order of the specification. */
const businessActions = [
  checkStock,
  findProducts,
  getStatement,
  quoteOrder,
  placeOrder,
  cancelOrder,
  quoteDropship,
  placeDropship,
  releaseDropship,
  listEndpoints,
  callEndpoint,
] as const

export type ActionName = (typeof businessActions)[number]['name']

/** An action, its input compiled. */
export interface ReadyAction {
  readonly action: Action
  readonly input: z.ZodType
}

export const actions: ReadonlyMap<string, ReadyAction> = new Map(
  businessActions.map((each) => [each.name, { action: anyAction(each), input: z.compile(each.input) }]),
)

/** The list of tools, for readers of each language. It depends on nothing else, so it is the same bytes each time. */
export const toolsIn: Readonly<Record<Language, { readonly tools: Tool[] }>> = {
  en: toolsFor('en'),
  zh: toolsFor('zh'),
  ko: toolsFor('ko'),
}

type Tool = ReturnType<typeof toolOf>

function toolsFor(language: Language): { tools: Tool[] } {
  return { tools: businessActions.map((each) => toolOf(anyAction(each), texts[language].actions[each.name])) }
}

function toolOf({ name, description, hints, input, output }: Action, title: string) {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object' as const, ...briefSchema(input, 'input') },
    outputSchema: { type: 'object' as const, ...briefSchema(output, 'output') },
    annotations: {
      readOnlyHint: hints.reads,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: false,
    },
  }
}
