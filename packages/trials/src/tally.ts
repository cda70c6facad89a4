/** The number of things of each kind. */
export type Tally<Kind extends string = string> = Map<Kind, number>

/** Adds one to the count of a kind. */
export function count<Kind extends string>(tally: Tally<Kind>, kind: Kind): void {
  tally.set(kind, (tally.get(kind) ?? 0) + 1)
}
