import type { Call } from '../src/contract/call.ts'
import type { Pipeline } from '../src/pipeline/pipeline.ts'
import type { LooseJson } from './harness.ts'

export interface InProcessReply {
  readonly status: number
  readonly replayed: boolean
  readonly json: LooseJson
}

let calls = 0

/** Sends one call through the pipeline without HTTP. */
export async function sendInProcess(
  pipeline: Pipeline,
  method: string,
  path: string,
  { token, body, key }: { token: string; body?: unknown; key?: string | undefined },
): Promise<InProcessReply> {
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
  const answer = await pipeline(call)
  return {
    status: answer.status,
    replayed: answer.headers.includes('Idempotent-Replayed'),
    json: typeof answer.body === 'string' ? JSON.parse(answer.body) : {},
  }
}
