import { z } from 'zod'
import { shortage } from '../documents.ts'
import {
  callOperation,
  type Erp,
  type ErpResult,
  type Rejection,
  type RejectionReason,
  rejected,
  UnknownOutcome,
} from '../erp.ts'
import { describeIssues } from '../issues.ts'
import { type Input, type OperationId, type Output, operations, rejectionReasons } from '../operations.ts'
import { ConformanceFailure } from './check.ts'

/** The timeout of every call of the suite, in milliseconds. */
export const callTimeoutMs = 30_000

const resultShape = z.union([
  z.strictObject({ ok: z.unknown() }),
  z.strictObject({
    rejected: z.object({
      reason: z.enum(rejectionReasons),
      message: z.string(),
      shortages: z.array(shortage).optional(),
    }),
  }),
])

const schemaRemedy = 'contract/connector-openapi.json describes each field of the operation.'

/** What to do about a call without a result. */
const remedies: Readonly<Record<UnknownOutcome['kind'], string>> = {
  failed: 'See the log of the connector.',
  malformed: schemaRemedy,
  timeout: 'See the log of the connector. A list that is read from the ERP for each page is slow.',
  unreachable:
    'See the log of the connector. If it says nothing, the connection was idle and closed too early: keep it open ' +
    'for 65 seconds.',
}

/** Calls an operation and checks the result against its schema, even if the ERP runs in this process. */
export async function callChecked<Id extends OperationId>(
  erp: Erp,
  id: Id,
  input: Input<Id>,
): Promise<ErpResult<Output<Id>>> {
  const result = resultShape.safeParse(await callWithTimeout(erp, id, input))
  if (!result.success) {
    throw new ConformanceFailure({
      expected: `${id} to return {ok} or {rejected: {reason, message}}`,
      actual: shorten(describeIssues(result.error)),
      remedy: `The reasons are ${rejectionReasons.join(', ')}; throw an exception for everything else.`,
    })
  }
  if ('rejected' in result.data) {
    const { reason, message, shortages } = result.data.rejected
    return rejected(reason, message, shortages)
  }
  const output = operations[id].output.safeParse(result.data.ok)
  if (output.success) return { ok: castToOutput<Id>(output.data) }
  throw new ConformanceFailure({
    expected: `the result of ${id} to match its schema`,
    actual: shorten(describeIssues(output.error)),
    remedy: schemaRemedy,
  })
}

/** Calls an operation that must succeed and returns its value. */
export async function callOk<Id extends OperationId>(
  erp: Erp,
  id: Id,
  input: Input<Id>,
): Promise<Output<Id>> {
  const result = await callChecked(erp, id, input)
  if ('ok' in result) return result.ok
  const { reason, message } = result.rejected
  throw new ConformanceFailure({
    expected: `${id} with ${shorten(JSON.stringify(input))} to return ok`,
    actual: `the refusal ${reason}: "${shorten(message)}"`,
    remedy: 'The gateway sends such input.',
  })
}

/** Calls an operation that must be refused for `reason` and returns the refusal. */
export async function callRefused<Id extends OperationId>(
  erp: Erp,
  id: Id,
  input: Input<Id>,
  reason: RejectionReason,
): Promise<Rejection> {
  const result = await callChecked(erp, id, input)
  if ('rejected' in result && result.rejected.reason === reason) return result.rejected
  throw new ConformanceFailure({
    expected: `${id} with ${shorten(JSON.stringify(input))} to be refused with ${reason}`,
    actual: 'ok' in result ? 'ok' : `the refusal ${result.rejected.reason}`,
    remedy: `Return {rejected: {reason: "${reason}", message}}.`,
  })
}

async function callWithTimeout(erp: Erp, id: OperationId, input: unknown): Promise<unknown> {
  const giveUp = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new UnknownOutcome('timeout', `${id} took longer than ${callTimeoutMs} ms.`))
    giveUp.abort()
  }, callTimeoutMs)
  try {
    return await Promise.race([callOperation(erp, id, input, { signal: giveUp.signal }), late.promise])
  } catch (cause) {
    const isUnknown = cause instanceof UnknownOutcome
    const kind = isUnknown ? `no result (${cause.kind})` : 'an exception'
    throw new ConformanceFailure(
      {
        expected: `${id} with ${shorten(JSON.stringify(input))} to return a result`,
        actual: `${kind}: ${shorten(cause instanceof Error ? cause.message : String(cause))}`,
        remedy: isUnknown ? remedies[cause.kind] : remedies.failed,
      },
      { cause },
    )
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Casts a value to the output of its operation. This is safe because the operation's schema has parsed the value;
 * TypeScript knows only the union of all outputs.
 */
function castToOutput<Id extends OperationId>(parsed: unknown): Output<Id> {
  return parsed as Output<Id>
}

/** Shortens a text to one line of limited length. */
export function shorten(text: string): string {
  const maxCharacters = 300
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line
}
