import { readBody } from './read-body.ts'
import { type ReceiverOptions, receive } from './receive.ts'

/** Creates a receiver for everything that speaks `Request` and `Response`: Deno, Bun, Workers, Next, Remix. */
export function webhookHandler(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, body } = await receive(() => readRequest(request), request.headers, options)
    return new Response(status === 204 ? null : body, {
      status,
      headers: status === 204 ? {} : { 'content-type': 'application/json' },
    })
  }
}

/** Returns nothing if somebody else has read the body: the refusal then names the ways to the bytes. */
async function readRequest({ body, bodyUsed }: Request): Promise<unknown> {
  return bodyUsed || body === null ? undefined : readBody(body)
}
