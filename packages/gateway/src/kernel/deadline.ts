/**
 * A signal that fires after `ms` or with another signal. Unlike `AbortSignal.timeout` it can be ended with the work it
 * bounds: a timer that runs on for half a minute after each call, and then makes an error that nobody reads, is dear.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #other: AbortSignal | undefined
  readonly #abort = () => this.#controller.abort(this.#other?.reason)

  static after(ms: number, other?: AbortSignal): Deadline {
    return new Deadline(ms, other)
  }

  private constructor(ms: number, other: AbortSignal | undefined) {
    const late = () => this.#controller.abort(new DOMException(`${ms} ms are over.`, 'TimeoutError'))
    this.#timer = setTimeout(late, ms).unref()
    this.#other = other
    if (other?.aborted) this.#abort()
    else other?.addEventListener('abort', this.#abort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The work is done: the signal does not fire any more. */
  end() {
    clearTimeout(this.#timer)
    this.#other?.removeEventListener('abort', this.#abort)
  }
}
