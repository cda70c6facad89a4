import { command } from '../command.ts'
import { CommandError, exitCodes } from '../failures.ts'
import { nearest } from '../nearest.ts'
import { printDocument, printRows } from '../print.ts'

export const requestsGet = command({
  name: 'requests get',
  summary: 'show what the gateway knows of an earlier request: timeline, points, outcome',
  isReading: true,
  examples: [['requests get req_8s7yrmt5davx6af78m6rxde1tm', 'the id of an error or of X-Request-Id']],
  agents: 'A successful read is only counted, and is not found.',
  args: { request_id: { help: 'the id of the request' } },
  async run(context, { args }) {
    const client = await context.connect()
    await printDocument(context, await client.requests.read(args.request_id, { signal: context.signal }))
  },
})

export const errorsExplain = command({
  name: 'errors explain',
  summary: 'explain an error code: when it happens, what to do, whether to retry',
  isReading: true,
  examples: [
    ['errors explain DUPLICATE_SUSPECTED', ''],
    ['errors explain RATE_LIMITED --lang ko', 'in another language'],
  ],
  args: { code: { help: 'the code, such as UPSTREAM_REJECTED' } },
  async run(context, { args }) {
    const client = await context.connect({ isPublic: true })
    const code = args.code.toUpperCase().replaceAll('-', '_')
    const document = await client.errors
      .read(code, { signal: context.signal })
      .catch((error: unknown) => explainUnknownCode(code, error))
    await printDocument(context, document)
  },
})

/** A code that the gateway does not know was probably mistyped. */
async function explainUnknownCode(code: string, cause: unknown): Promise<never> {
  const { errorCatalogue, NotFoundError } = await import('@trade-gateway/sdk')
  if (!(cause instanceof NotFoundError)) throw cause
  const meant = nearest(code, Object.keys(errorCatalogue))
  const question = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new CommandError(`There is no error code "${code}".${question}`, {
    exitCode: exitCodes.denied,
    hint: '`tgw errors list` lists the codes.',
    cause,
  })
}

export const errorsList = command({
  name: 'errors list',
  summary: 'list every error code',
  isReading: true,
  examples: [['errors list', '']],
  async run(context) {
    const client = await context.connect({ isPublic: true })
    const rows = await client.errors.list({ signal: context.signal })
    const all = (async function* () {
      yield* rows
    })()
    await printRows(context, all, ['code', 'http_status', 'retryable', 'title'], {
      limit: undefined,
      all: true,
    })
  },
})
