import type { Answer, Call } from '../contract/call.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { errorTable, GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'

/**
 * Every use of the operator's endpoints leaves a row: when, which request, which endpoint on what path, and how it
 * ended. A write that cannot be put on record is answered `INTERNAL`, so that none goes through unnoticed. Refused
 * attempts are recorded too, up to a number a minute, so that nobody without the token can fill the disk.
 */
const mostRefusalsPerMinute = 60
const mostPathCharacters = 500

interface Ended {
  readonly status: number
  readonly code?: string
}

/** Runs one call of an operator's endpoint and records it. */
export async function audited(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call,
  work: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer
  try {
    answer = await work()
  } catch (error) {
    await record(gateway, endpoint, call, endedWith(error))
    throw error
  }
  await record(gateway, endpoint, call, { status: answer.status })
  return answer
}

function endedWith(error: unknown): Ended {
  const { code, facts } = error instanceof GatewayError ? error : new GatewayError('INTERNAL')
  return { status: facts.status ?? errorTable[code].status, code }
}

async function record(gateway: Gateway, endpoint: Endpoint, call: Call, ended: Ended): Promise<void> {
  const isRefused = ended.code === 'ADMIN_UNAUTHORIZED'
  const at = gateway.clock.now()
  // A disabled console is not used.
  if (ended.code === 'ADMIN_DISABLED') return
  if (isRefused && !gateway.quota.tokens.take('admin refused', 1, mostRefusalsPerMinute, at).paid) return
  const row = {
    audit_id: gateway.ids.next('aud'),
    at,
    request_id: call.requestId,
    action: endpoint.id,
    subject: call.path.slice(0, mostPathCharacters),
    detail: JSON.stringify(ended),
  }
  try {
    await gateway.store.db.insertInto('admin_audit').values(row).execute()
  } catch (cause) {
    if (endpoint.method !== 'GET' && !isRefused) throw new GatewayError('INTERNAL', { cause })
    gateway.log.error(
      { request_id: call.requestId, action: endpoint.id, error: cause },
      'a use of the admin API could not be recorded',
    )
  }
}
