import type { Prebuilt } from './call.ts'

/** A handler's result with its own status or headers, or a prebuilt body. */
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
