/**
 * A signal that is aborted after `ms` or together with another signal. Unlike `AbortSignal.timeout`, it can be ended
 * together with its work. A timer that runs on after each call, and then creates an error that nobody reads, is
 * expensive.
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
    const abortLate = () => this.#controller.abort(new DOMException(`${ms} ms are over.`, 'TimeoutError'))
    this.#timer = setTimeout(abortLate, ms).unref()
    this.#other = other
    if (other?.aborted) this.#abort()
    else other?.addEventListener('abort', this.#abort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends the deadline when the work is done, so the signal is never aborted after that. */
  end() {
    clearTimeout(this.#timer)
    this.#other?.removeEventListener('abort', this.#abort)
  }
}
