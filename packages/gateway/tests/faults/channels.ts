import { adminToken, type LooseJson } from '../harness.ts'
import { readJson, sendRequest } from './processes.ts'

/** More points than any test spends. */
const points_per_minute = 1_000_000_000

/** Creates a channel at the process of `url`. Returns the channel with its credentials. */
export async function createChannel(url: string, code: string, more: object = {}): Promise<LooseJson> {
  const body = { channel_code: code, name: code, plan: 'full', points_per_minute, ...more }
  return (await readJson(sendRequest(url, 'POST', '/admin/api/channels', { admin: adminToken, body }))).data
}

/** Requests a token for the credentials of a channel at the process of `url`. */
export async function requestToken(url: string, { client_id, client_secret }: LooseJson): Promise<string> {
  const body = { client_id, client_secret }
  const { access_token } = await readJson(sendRequest(url, 'POST', '/api/v1/auth/token', { body }))
  return String(access_token)
}
