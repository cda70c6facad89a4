/** The messages between the supervisor and its processes. */

/** What a process tells the supervisor. */
export type ToSupervisor =
  /** It serves requests. `banner` is for people. */
  | { readonly ready: { readonly banner: string } }
  /** Asks for the metrics of all processes. */
  | { readonly gather: { readonly id: number } }
  /** Its own metrics, as the supervisor asked. */
  | { readonly collected: { readonly id: number; readonly text: string } }

/** What the supervisor tells a process. */
export type ToProcess =
  | { readonly collect: { readonly id: number } }
  | { readonly gathered: { readonly id: number; readonly texts: readonly string[] } }

/** The longest time that a process takes to report its metrics. A process that is frozen is left out. */
export const maxCollectMs = 1_000
