import type { Prebuilt } from './call.ts'

/** The result of a handler that sets a status or headers of its own, or has a prebuilt body. */
export class Reply<T> {
  readonly body: T | Prebuilt | undefined
  readonly headers: readonly string[]
  readonly status: number | undefined

  constructor(body: T | Prebuilt | undefined, headers: readonly string[] = [], status?: number) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}
