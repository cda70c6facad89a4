/** The limits of an OpenAPI schema: their composition, and whether one schema is narrower than another. */

export const limitKeys = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'multipleOf',
  'format',
  'pattern',
  'additionalProperties',
] as const

export type LimitKey = (typeof limitKeys)[number]
export type Limits = Map<LimitKey, number | string | false>

/** Returns the limits of a value that must satisfy all of several schemas. */
export function tightenLimits(all: readonly Limits[]): Limits {
  const found: Limits = new Map()
  for (const [key, value] of all.flatMap((limits) => [...limits])) {
    const known = found.get(key)
    if (known === undefined || !isWithin(key, known, value)) found.set(key, value)
  }
  return found
}

/** Returns the limits of a value that must satisfy one of several schemas: those that all of them have. */
export function widenLimits([first, ...others]: readonly Limits[]): Limits {
  const found: Limits = new Map()
  for (const [key, value] of first ?? []) {
    const rest = others.map((limits) => limits.get(key))
    const widest = rest.reduce(
      (wide, next) =>
        wide === undefined || next === undefined ? undefined : isWithin(key, next, wide) ? wide : next,
      value,
    )
    if (widest !== undefined) found.set(key, widest)
  }
  return found
}

/** Lists the limits of `inner` that `outer` does not guarantee, such as `maxLength 64`. */
export function listNewLimits(inner: Limits, outer: Limits): string[] {
  return [...inner].flatMap(([key, value]) => {
    // The dates of the contract have a pattern that spells out their format.
    if (key === 'pattern' && inner.has('format')) return []
    const known = outer.get(key)
    return known !== undefined && isWithin(key, known, value) ? [] : [`${key} ${value}`]
  })
}

/** Whether every value that satisfies a limit satisfies the other value of the same limit too. */
function isWithin(key: LimitKey, limit: number | string | false, other: number | string | false): boolean {
  if (typeof limit !== 'number' || typeof other !== 'number') return limit === other
  if (/^(?:exclusiveM|m)in/.test(key)) return limit >= other
  if (/^(?:exclusiveM|m)ax/.test(key)) return limit <= other
  return limit % other === 0
}
