import type { Prebuilt } from './call.ts'

/** The result of a handler that sets a status or headers of its own, or has a prebuilt body. A text is JSON already. */
export class Reply<T> {
  readonly body: T | Prebuilt | string | undefined
  readonly headers: readonly string[]
  readonly status: number | undefined
  /** A stream that replaces the body. Its headers say the media type. */
  #stream: ReadableStream<Uint8Array> | undefined

  constructor(body: T | Prebuilt | string | undefined, headers: readonly string[] = [], status?: number) {
    this.body = body
    this.headers = headers
    this.status = status
  }

  /** Creates a reply whose body is sent piece by piece. */
  static stream(stream: ReadableStream<Uint8Array>, headers: readonly string[]): Reply<never> {
    const reply = new Reply<never>(undefined, headers)
    reply.#stream = stream
    return reply
  }

  get stream(): ReadableStream<Uint8Array> | undefined {
    return this.#stream
  }
}
