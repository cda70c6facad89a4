import { readFile } from 'node:fs/promises'
import { areSameBase, findIdentity } from './connect.ts'
import type { Context } from './context.ts'
import type { OptionSpecs } from './declaration.ts'
import { UsageError } from './failures.ts'

/** Where a sandbox on this machine leaves its credentials, seen from the folder where it was started. */
const sandboxFile = 'data/sandbox.json'

export const sandboxOption = {
  sandbox: {
    type: 'string',
    value: 'FILE',
    help: `the sandbox.json with the admin token; default TGW_ADMIN_TOKEN, then ${sandboxFile}`,
  },
} as const satisfies OptionSpecs

/** Finds the admin token of a sandbox, without which its controls refuse. That of a file is only sent to its own sandbox. */
export async function findAdminToken(context: Context, file: string | undefined): Promise<string> {
  const { env } = context
  if (file === undefined && env.TGW_ADMIN_TOKEN) return env.TGW_ADMIN_TOKEN
  const path = file ?? sandboxFile
  const text = await readFile(path, 'utf8').catch(() => '')
  const found = /"admin_token":\s*"([^"]+)"/.exec(text)?.[1]
  if (found === undefined)
    throw new UsageError(
      'The controls of a sandbox require its admin token.',
      `Set TGW_ADMIN_TOKEN, give --sandbox FILE, or run the command where the sandbox has written ${sandboxFile}.`,
    )
  const owner = /"base_url":\s*"([^"]+)"/.exec(text)?.[1] ?? 'no address'
  const { baseUrl } = await findIdentity(context)
  if (areSameBase(owner, baseUrl)) return found
  throw new UsageError(
    `The admin token in ${path} belongs to ${owner}, and is not sent to ${baseUrl}.`,
    `Choose the profile of that sandbox with --profile, or set TGW_ADMIN_TOKEN to the token of ${baseUrl}.`,
  )
}

/** Calls a control of the sandbox. */
export async function control(
  context: Context,
  name: string,
  body: object,
  adminToken: string | undefined,
): Promise<object> {
  const client = await context.connect()
  const headers: Record<string, string> = adminToken === undefined ? {} : { 'x-admin-token': adminToken }
  const { signal } = context
  const found = await client.request('POST', `/sandbox/${name}`, { body, headers, signal })
  return typeof found === 'object' && found !== null && 'data' in found ? asObject(found.data) : {}
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : { value }
}
