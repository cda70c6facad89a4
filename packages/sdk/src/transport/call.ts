import type { Meta } from './meta.ts'

/** The parsed body of a successful response, with what its headers say. */
export interface Reply {
  readonly body: unknown
  readonly meta: Meta
}

/** A call under way: a promise of its data that can also return what the response says beside it. */
export interface Call<T> extends Promise<T> {
  /** Returns the data with the request id, the points and the number of attempts. */
  withResponse(): Promise<{ readonly data: T; readonly meta: Meta }>
}

/** Turns a reply into a call. `pick` takes the data out of the body. */
export function toCall<T>(reply: Promise<Reply>, pick: (body: unknown) => T): Call<T> {
  let meta: Meta
  const data = reply.then((each) => {
    meta = each.meta
    return pick(each.body)
  })
  // Both ways to wait go through `data`, so that a failure is never unhandled while the caller waits for the other.
  return Object.assign(data, { withResponse: () => data.then((found) => ({ data: found, meta })) })
}
