import type { Call } from '../src/contract/call.ts'
import type { Door } from '../src/http/answer.ts'
import type { Loose } from './harness.ts'

export interface Said {
  readonly status: number
  readonly replayed: boolean
  readonly json: Loose
}

let calls = 0

/** One call through the door, without HTTP. */
export async function through(
  door: Door,
  method: string,
  path: string,
  { token, body, key }: { token: string; body?: unknown; key?: string | undefined },
): Promise<Said> {
  const sent: Record<string, readonly string[]> = { authorization: [`Bearer ${token}`] }
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body))
  if (body !== undefined) {
    sent['content-type'] = ['application/json']
    sent['content-length'] = [String(bytes.length)]
  }
  if (key !== undefined) sent['idempotency-key'] = [key]
  calls += 1
  const call: Call = {
    method,
    path,
    rawQuery: '',
    requestId: `req-test-${calls}`,
    language: 'en',
    address: undefined,
    header: (name) => sent[name] ?? [],
    body: async () => bytes,
    params: {},
  }
  const answer = await door(call)
  return {
    status: answer.status,
    replayed: answer.headers.includes('Idempotent-Replayed'),
    json: typeof answer.body === 'string' ? JSON.parse(answer.body) : {},
  }
}
