/** Listeners by the type of their events. `Events` names the types. */
export class Listeners<Events extends object> {
  readonly #byType = new Map<keyof Events, Set<(event: never) => void>>()

  /** Adds a listener. The returned function removes it. */
  add<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void): () => void {
    const known = this.#byType.get(type) ?? new Set()
    this.#byType.set(type, known.add(listener))
    return () => void known.delete(listener)
  }

  /** Builds and sends an event, if anyone listens. What a listener throws disturbs nobody. */
  emit<Type extends keyof Events>(type: Type, build: () => Events[Type]): void {
    const known: Iterable<(event: never) => void> | undefined = this.#byType.get(type)
    if (!known) return
    const event = build()
    for (const listener of known) callListener(listener, event)
  }

  has(type: keyof Events): boolean {
    return (this.#byType.get(type)?.size ?? 0) > 0
  }
}

/** A listener is stored under the type of its events, which the compiler cannot follow through the map. */
function callListener(listener: (event: never) => void, event: unknown): void {
  try {
    listener(event as never)
  } catch {
    // A failing log must not fail an order.
  }
}
