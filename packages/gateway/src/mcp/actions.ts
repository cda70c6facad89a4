import type { Language } from '../contract/language.ts'
import { chooseTranslation, type DeclaredText, type Translations } from '../contract/texts/translation.ts'
import { compileShape, type Shape } from '../pipeline/shape.ts'
import { type Action, eraseActionTypes } from './action.ts'
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
import { ko } from './actions.ko.ts'
import { zh } from './actions.zh.ts'
import { toBriefSchema } from './schema.ts'

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

/** The texts of an action that people read. Its description is for models and exists only in English. */
interface ActionProse {
  readonly title: string
}

const translations: Translations<ActionName, ActionProse> = { zh, ko }

/** The titles with their translations. */
export const actionTexts: readonly DeclaredText[] = businessActions.map(({ name, title }) => ({
  name,
  english: { title },
  zh: zh[name],
  ko: ko[name],
}))

/** An action with its compiled input schema. */
export interface CompiledAction {
  readonly action: Action
  readonly input: Shape
}

export const actions: ReadonlyMap<string, CompiledAction> = new Map(
  businessActions.map((each) => [
    each.name,
    { action: eraseActionTypes(each), input: compileShape(each.input) },
  ]),
)

/** The list of tools by language. It is the same for every caller, so it is built once. */
export const toolsByLanguage: Readonly<Record<Language, { readonly tools: Tool[] }>> = {
  en: buildTools('en'),
  zh: buildTools('zh'),
  ko: buildTools('ko'),
}

type Tool = ReturnType<typeof buildTool>

function buildTools(language: Language): { tools: Tool[] } {
  const chooseTitle = ({ name, title }: (typeof businessActions)[number]) =>
    chooseTranslation(language, { title }, translations, name).title
  return { tools: businessActions.map((each) => buildTool(eraseActionTypes(each), chooseTitle(each))) }
}

function buildTool({ name, description, hints, input, output }: Action, title: string) {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object' as const, ...toBriefSchema(input, 'input') },
    outputSchema: { type: 'object' as const, ...toBriefSchema(output, 'output') },
    annotations: {
      readOnlyHint: hints.isReadOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: false,
    },
  }
}
