/** Listeners by the type of their events. `Events` names the types. */
export class Listeners<Events extends object> {
  readonly #byType = new Map<keyof Events, Set<(event: never) => void>>()

  /** Adds a listener. The returned function removes it. */
  add<Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void): () => void {
    const known = this.#byType.get(type) ?? new Set()
    this.#byType.set(type, known.add(listener))
    return () => void known.delete(listener)
  }

  /** Builds and sends an event, if anyone listens. What a listener throws, or rejects with, disturbs nobody. */
  emit<Type extends keyof Events>(type: Type, build: () => Events[Type]): void {
    const known: Iterable<(event: never) => void> | undefined = this.#byType.get(type)
    if (!known) return
    const event = build()
    // A listener is stored under the type of its events, which the compiler cannot follow through the map.
    for (const listener of known) callListener(listener, event as never)
  }

  has(type: keyof Events): boolean {
    return (this.#byType.get(type)?.size ?? 0) > 0
  }
}

/** Calls a listener. A failing log must not fail an order, and a promise of it that nobody handles would end the process. */
export function callListener<Event>(listener: (event: Event) => unknown, event: Event): void {
  try {
    Promise.resolve(listener(event)).catch(() => {})
  } catch {}
}
