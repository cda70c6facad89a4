/** A counter for each kind, such as the number of lines for each reason. */
export type Tally<Kind extends string = string> = Map<Kind, number>

/** Adds one to the counter of a kind. */
export function addToTally<Kind extends string>(tally: Tally<Kind>, kind: Kind): void {
  tally.set(kind, (tally.get(kind) ?? 0) + 1)
}
