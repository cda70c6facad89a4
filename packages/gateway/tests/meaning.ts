/**
 * Finds the places of the contract whose meaning may have changed since a release: places with another English text, and
 * values with narrower limits in a request or wider limits in a response. A program cannot decide whether two texts mean
 * the same. So each difference is listed with its reason in `deliberate-changes.ts`, where a person has decided.
 *
 * A place is named without its operation, because a field has the same text and the same limits in all operations. The
 * descriptions of responses are left out: they are lists of error codes.
 */

import { findBreaks, type OpenApi, type Pair } from './growth.ts'
import { listNewLimits } from './limits.ts'

/** A text of the contract that differs from the release: the place or the released text, and the present text. */
export interface Wording {
  /** The released text; the name of the place if the release does not describe it. */
  readonly was: string
  readonly is: string
}

export interface Differences {
  readonly wordings: readonly Wording[]
  /** Limits such as `request .sku: maxLength 64`. */
  readonly limits: readonly string[]
}

/** Lists the differences in meaning, each once. */
export function findDifferences(released: OpenApi, current: OpenApi): Differences {
  const wordings = new Map<string, Wording>()
  const limits = new Set<string>()
  findBreaks(released, current, (pair) => {
    const name = toPlaceName(pair.where)
    const was = pair.was.text ?? name
    const is = pair.is.text ?? ''
    const isUndescribed = pair.was.text === undefined && pair.is.text === undefined
    if (!isUndescribed && was !== is) wordings.set(`${was}\n${is}`, { was, is })
    for (const limit of listLimitBreaks(pair)) limits.add(`${name}: ${limit}`)
  })
  return { wordings: [...wordings.values()], limits: [...limits] }
}

/** A request may not be limited further; a response may not leave its released limits. */
function listLimitBreaks({ way, was, is }: Pair): string[] {
  if (way === 'request') return listNewLimits(is.limits, was.limits)
  return listNewLimits(was.limits, is.limits).map((limit) => `without ${limit}`)
}

/** Names a place by its last part: `request .sku` for `POST /api/v1/orders request .lines [] .sku`. */
function toPlaceName(where: string): string {
  const [, part = '', rest = ''] = /^[A-Z]+ \S+ (request|answer|parameter)\b(.*)$/.exec(where) ?? []
  if (part === '') return where
  const field = rest.includes(' .')
    ? ` .${rest.split(' .').at(-1)}`
    : rest.replace(/^ \w+(?= header| \[\]|$)/, '')
  return `${part}${part === 'parameter' ? rest : field}`
}
