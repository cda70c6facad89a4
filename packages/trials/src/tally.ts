/** How often each kind of thing occurred. */
export type Tally<Kind extends string = string> = Map<Kind, number>

/** One more of a kind. */
export function count<Kind extends string>(tally: Tally<Kind>, kind: Kind): void {
  tally.set(kind, (tally.get(kind) ?? 0) + 1)
}
