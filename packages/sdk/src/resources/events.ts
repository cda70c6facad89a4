import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/options.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Row } from './shapes.ts'

/** The events of the channel, by which a receiver that was down catches up. */
export class Events {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists events, oldest first, after the event `since`. Throws `NOT_FOUND` if that event is not kept any more.
   *
   * @see `/reference/events.list`
   */
  list(
    filters?: Filters<'events.list'>,
    options?: CallOptions,
  ): Pages<Row<'events.list'>, ListPage<'events.list'>> {
    return this.#calls.list('events.list', filters, (event) => event.event_id, {
      options,
      next: ({ data }, place) => ({ ...place, since: data.at(-1)?.event_id }),
    })
  }

  /**
   * Reads an event with the body that was sent. Throws `NOT_FOUND`.
   *
   * @see `/reference/events.read`
   */
  read(event_id: string, options?: CallOptions): Call<Data<'events.read'>> {
    return this.#calls.read('events.read', { event_id }, options)
  }

  /**
   * Lists the types of events with the JSON Schema of their data.
   *
   * @see `/reference/events.types`
   */
  types(options?: CallOptions): Call<Data<'events.types'>> {
    return this.#calls.read('events.types', {}, options)
  }
}
