import { z } from 'zod'
import { shortage } from '../documents.ts'
import {
  type Answer,
  callAny,
  type Erp,
  type Rejection,
  type RejectionReason,
  rejected,
  UnknownOutcome,
} from '../erp.ts'
import { type Input, type OperationId, type Output, operations, rejectionReasons } from '../operations.ts'
import { ConformanceFailure } from './check.ts'

/** Every call of the suite must be answered within this time. */
export const callTimeoutMs = 30_000

const answerShape = z.union([
  z.strictObject({ ok: z.unknown() }),
  z.strictObject({
    rejected: z.object({
      reason: z.enum(rejectionReasons),
      message: z.string(),
      shortages: z.array(shortage).optional(),
    }),
  }),
])

/** Calls an operation and checks the answer against its schema, also where the ERP runs in process. */
export async function answered<Id extends OperationId>(
  erp: Erp,
  id: Id,
  input: Input<Id>,
): Promise<Answer<Output<Id>>> {
  const answer = answerShape.safeParse(await answerOf(erp, id, input))
  if (!answer.success) {
    throw new ConformanceFailure({
      expected: `${id} to answer {ok} or {rejected: {reason, message}}`,
      came: shortly(answer.error.message),
      remedy: `The reasons are ${rejectionReasons.join(', ')}; everything else is to be thrown.`,
    })
  }
  if ('rejected' in answer.data) {
    const { reason, message, shortages } = answer.data.rejected
    return rejected(reason, message, shortages)
  }
  const output = operations[id].output.safeParse(answer.data.ok)
  if (output.success) return { ok: outputOf<Id>(output.data) }
  throw new ConformanceFailure({
    expected: `the answer of ${id} to fit its schema`,
    came: shortly(output.error.message),
    remedy: 'See the operation in operations.ts for each field.',
  })
}

/** The value of an answer that must be `ok`. */
export async function asked<Id extends OperationId>(erp: Erp, id: Id, input: Input<Id>): Promise<Output<Id>> {
  const answer = await answered(erp, id, input)
  if ('ok' in answer) return answer.ok
  const { reason, message } = answer.rejected
  throw new ConformanceFailure({
    expected: `${id} with ${shortly(JSON.stringify(input))} to answer ok`,
    came: `the refusal ${reason}: "${shortly(message)}"`,
    remedy: 'This input is one that the gateway sends.',
  })
}

/** The refusal of a call that must be refused for `reason`. */
export async function refused<Id extends OperationId>(
  erp: Erp,
  id: Id,
  input: Input<Id>,
  reason: RejectionReason,
): Promise<Rejection> {
  const answer = await answered(erp, id, input)
  if ('rejected' in answer && answer.rejected.reason === reason) return answer.rejected
  throw new ConformanceFailure({
    expected: `${id} with ${shortly(JSON.stringify(input))} to be refused with ${reason}`,
    came: 'ok' in answer ? 'ok' : `the refusal ${answer.rejected.reason}`,
    remedy: `Answer {rejected: {reason: "${reason}", message}}.`,
  })
}

async function answerOf(erp: Erp, id: OperationId, input: unknown): Promise<unknown> {
  const giveUp = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new UnknownOutcome('timeout', `${id} took longer than ${callTimeoutMs} ms.`))
    giveUp.abort()
  }, callTimeoutMs)
  try {
    return await Promise.race([callAny(erp, id, input, { signal: giveUp.signal }), late.promise])
  } catch (cause) {
    const kind = cause instanceof UnknownOutcome ? `no answer (${cause.kind})` : 'an exception'
    throw new ConformanceFailure(
      {
        expected: `${id} with ${shortly(JSON.stringify(input))} to be answered`,
        came: `${kind}: ${shortly(cause instanceof Error ? cause.message : String(cause))}`,
        remedy: "The ERP's own log tells why.",
      },
      { cause },
    )
  } finally {
    clearTimeout(timer)
  }
}

/** Holds because the value was parsed by this operation's own schema; TypeScript sees the union of all. */
function outputOf<Id extends OperationId>(parsed: unknown): Output<Id> {
  return parsed as Output<Id>
}

/** One line of bounded length. */
export function shortly(text: string): string {
  const mostCharacters = 300
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line
}
