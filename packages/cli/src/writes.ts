import { randomUUID } from 'node:crypto'
import type { WriteOptions } from '@trade-gateway/sdk'
import { findIdentity } from './connect.ts'
import { type Context, say } from './context.ts'
import type { OptionSpecs } from './declaration.ts'
import { CommandError, UsageError } from './failures.ts'

/** The option of every write. */
export const keyOption = {
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    help: 'repeat the write of a run in the last 24 hours, which is then performed at most once',
  },
} as const satisfies OptionSpecs

interface WriteFacts {
  /** What the write does, as in "submit order ord_…". */
  readonly what: string
  /** The key that the user gave. A command of many writes has no such option, and names no key in its failures. */
  readonly key?: string | undefined
}

/**
 * Performs a write under an `Idempotency-Key` that is printed if the command is interrupted, if the outcome is not known,
 * or if the response cannot be printed. An unknown outcome is looked up once. Outside a sandbox the user is asked first.
 */
export async function performWrite<T>(
  context: Context,
  facts: WriteFacts,
  send: (options: WriteOptions) => Promise<T>,
): Promise<T> {
  await confirmWrite(context, facts.what)
  const idempotencyKey = facts.key ?? randomUUID()
  const note = (isPerformed: boolean) => {
    if ('key' in facts) context.pending.write = { idempotencyKey, isPerformed }
  }
  note(false)
  try {
    const response = await sendOrRecover(context, idempotencyKey, send)
    note(true)
    return response
  } catch (error) {
    if (!context.signal.aborted) context.pending.write = undefined
    throw error
  }
}

async function sendOrRecover<T>(
  context: Context,
  idempotencyKey: string,
  send: (options: WriteOptions) => Promise<T>,
): Promise<T> {
  const { signal } = context
  try {
    return await send({ idempotencyKey, signal })
  } catch (error) {
    const { OutcomeUnknownError } = await import('@trade-gateway/sdk')
    if (!(error instanceof OutcomeUnknownError)) throw error
    await say(context, 'The outcome of the write is not known. Looking the write up …')
    return await error.recover<T>({ signal })
  }
}

async function confirmWrite(context: Context, what: string): Promise<void> {
  const { globals, input, pending } = context
  if (pending.isConfirmed) return
  if (globals.yes) return
  const { baseUrl, profile } = await findIdentity(context)
  const isSandbox = profile ? profile.sandbox : (await (await context.connect()).me()).sandbox
  if (isSandbox) return
  const who = profile ? `the profile "${profile.name}"` : 'the credentials of the environment'
  const where = `${who} (${baseUrl}), which is not a sandbox`
  if (!input.canAsk)
    throw new UsageError(`This would ${what} with ${where}.`, 'Repeat the command with --yes.')
  const answer = await input.ask(`This will ${what} with ${where}. Continue? [y/N] `)
  if (!/^y(?:es)?$/i.test(answer)) throw new CommandError('Nothing was sent.')
  pending.isConfirmed = true
}
