import { bodyOptions, readBody } from '../body.ts'
import { command } from '../command.ts'
import { UsageError } from '../failures.ts'
import { keyOption, performWrite } from '../writes.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const api = command({
  name: 'api',
  summary: 'call any endpoint, with token, retries and Idempotency-Key',
  isReading: ({ method }) => method?.toUpperCase() === 'GET',
  examples: [
    ['api GET /api/v1/me', ''],
    ['api GET "/api/v1/orders?page_size=5" | jq .data', ''],
    ['api POST /api/v1/orders -f order.json', ''],
  ],
  agents: 'Prints the whole body as JSON, with or without --json.',
  args: { method: { help: methods.join(', ') }, path: { help: 'the path with its query, from /api/v1 on' } },
  options: { file: bodyOptions.file, set: bodyOptions.set, ...keyOption },
  async run(context, { args, options }) {
    const method = args.method.toUpperCase()
    if (!methods.includes(method))
      throw new UsageError(`"${args.method}" is no method.`, 'For example: tgw api GET /api/v1/me')
    const body = await readBody(context.input, options)
    const client = await context.connect()
    const { signal } = context
    const facts = { what: `${method} ${args.path}`, key: options['idempotency-key'] }
    const found =
      method === 'GET'
        ? await client.request(method, args.path, { signal })
        : await performWrite(context, facts, (write) =>
            client.request(method, args.path, { ...write, ...(body ? { body } : {}) }),
          )
    await context.out.line(JSON.stringify(found, null, context.globals.json ? undefined : 2))
  },
})
