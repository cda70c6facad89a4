import { WebhookError } from './errors.ts'

/** The largest body that a receiver reads. Events have at most 100 rows. */
export const maxBodyBytes = 1024 * 1024

/** Reads a stream to its end. Throws `WebhookError` with `BODY_TOO_LARGE` as soon as it is larger than events are. */
export async function readBody(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    if (!(bytes instanceof Uint8Array)) throw new TypeError('The request is no stream of bytes.')
    length += bytes.length
    if (length > maxBodyBytes)
      throw new WebhookError('BODY_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes.`)
    chunks.push(bytes)
  }
  return joinChunks(chunks, length)
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
