import { maxBodyBytes } from './read-body.ts'
import { type ReceiverOptions, receive } from './receive.ts'

/** What the plugin needs of a Fastify instance. */
interface FastifyLike {
  addContentTypeParser(
    type: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  removeContentTypeParser(type: string): unknown
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown
}

interface FastifyRequest {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

interface FastifyReply {
  code(status: number): { type(type: string): { send(body: string): unknown } }
}

export interface FastifyOptions extends ReceiverOptions {
  /** The path of the receiver. */
  readonly path: string
}

/**
 * A plugin for Fastify. It keeps the bytes of JSON bodies for its own route alone, because a plugin has a scope.
 *
 * @example await app.register(webhookPlugin, { path: '/hook', secret, onOrderCreated })
 */
export async function webhookPlugin(fastify: FastifyLike, options: FastifyOptions): Promise<void> {
  const type = 'application/json'
  fastify.removeContentTypeParser(type)
  fastify.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) =>
    done(null, body),
  )
  fastify.post(options.path, async ({ body, headers }, reply) => {
    const receipt = await receive(async () => body, headers, options)
    return reply.code(receipt.status).type(type).send(receipt.body)
  })
}
