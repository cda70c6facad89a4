import { readFile, rm } from 'node:fs/promises'
import { command } from '../command.ts'
import { createSecretName, getSecretName, getTokenFile, readEnvironment, toCredentials } from '../connect.ts'
import { type Context, say } from '../context.ts'
import { UsageError } from '../failures.ts'
import { printDocument } from '../print.ts'
import {
  checkProfileName,
  defaultProfile,
  deleteProfile,
  type Profile,
  type ProfileKind,
  readProfiles,
  requireProfile,
  saveProfile,
  selectProfile,
} from '../profiles/profiles.ts'
import { deleteFromKeychain, deleteSecret, storeSecret } from '../profiles/secrets.ts'

const localGateway = 'http://127.0.0.1:8080'

export const login = command({
  name: 'login',
  summary: 'sign in to a gateway, and keep the credentials in a profile',
  description:
    'An OMS account may place orders; a channel may not. The secret goes to the keychain of the system, or to a file that only you can read.',
  examples: [
    ['login --sandbox data/sandbox.json', 'a sandbox on this machine'],
    ['login --base-url https://gateway.example --username buyer@shop.example', 'an OMS account'],
    ['login --client-id my-channel --secret-stdin < secret.txt', 'a channel, from a script'],
  ],
  agents:
    'Not needed if TGW_BASE_URL, TGW_USERNAME and TGW_PASSWORD (or TGW_CLIENT_ID and TGW_CLIENT_SECRET) are set.',
  options: {
    username: { type: 'string', value: 'NAME', help: 'an OMS account (TGW_USERNAME, TGW_PASSWORD)' },
    'client-id': { type: 'string', value: 'ID', help: 'a channel (TGW_CLIENT_ID, TGW_CLIENT_SECRET)' },
    'access-token-stdin': { type: 'boolean', help: 'read an access token from standard input' },
    'secret-stdin': { type: 'boolean', help: 'read the password or the client secret from standard input' },
    sandbox: { type: 'string', value: 'FILE', help: 'the sandbox.json that a sandbox wrote at its start' },
  },
  async run(context, { options }) {
    const name = context.globals.profile ?? defaultProfile
    const { me, ...profile } = await signIn(context, await findLogin(context, options), name)
    const { base_url, user, secret_in } = profile
    if (context.globals.json) await context.out.json({ profile: name, ...profile, ...me })
    else
      await context.out.line(
        `Signed in to ${base_url} as ${user || 'the owner of a token'} (profile "${name}").`,
      )
    await say(
      context,
      `The secret is in the ${secret_in === 'keychain' ? 'keychain' : 'file secrets.json of the profile'}.`,
    )
    await say(context, 'Next: tgw quickstart, or tgw --help')
  },
})

/** Signs in with the file that a sandbox wrote, and keeps the credentials in a profile. */
export async function signInToSandbox(context: Context, file: string, name: string): Promise<void> {
  const found = await readSandboxFile(file, context.globals['base-url'])
  const { base_url, user } = await signIn(context, found, name)
  await say(context, `Signed in to ${base_url} as ${user} (profile "${name}").`)
}

async function signIn(context: Context, found: Login, name: string) {
  checkProfileName(name)
  const secret = await found.getSecret()
  if (secret === '') throw new UsageError('The secret is empty.')
  const me = await verify(context, found, secret)
  const { base_url, kind, user } = found
  const secret_name = createSecretName({ name, base_url, kind, user })
  const secret_in = await storeSecret(context, secret_name, secret)
  const profile = { base_url, kind, user, sandbox: me.sandbox, secret_in, secret_name }
  const former = await saveProfile(context.paths, name, profile)
  if (former) await forgetFormer(context, { ...former, name }, profile)
  return { base_url, kind, user, secret_in, me }
}

/** Deletes the secret of a replaced profile, unless the new one has just taken its place. */
async function forgetFormer(context: Context, former: Profile & { readonly name: string }, now: Profile) {
  const secretName = getSecretName(former)
  if (secretName !== now.secret_name) await forgetSecret(context, secretName, former)
  else if (former.secret_in === 'keychain' && now.secret_in === 'file')
    await sayIfKept(context, secretName, await deleteFromKeychain(context, secretName))
}

interface Login {
  readonly base_url: string
  readonly kind: ProfileKind
  readonly user: string
  getSecret(): Promise<string>
}

interface LoginGiven {
  readonly username: string | undefined
  readonly 'client-id': string | undefined
  readonly 'access-token-stdin': boolean
  readonly 'secret-stdin': boolean
  readonly sandbox: string | undefined
}

/** Finds who wants to sign in: the options, then the environment, then a question. */
async function findLogin(context: Context, given: LoginGiven): Promise<Login> {
  const { env, globals, input } = context
  if (given.sandbox !== undefined) return readSandboxFile(given.sandbox, globals['base-url'])
  const base_url = globals['base-url'] ?? (await askBase(context))
  if (given['access-token-stdin'])
    return { base_url, kind: 'token', user: '', getSecret: async () => (await input.readAll()).trim() }
  const isNamed = given.username !== undefined || given['client-id'] !== undefined
  const fromEnv = isNamed ? undefined : readEnvironment(env)
  if (fromEnv && typeof fromEnv !== 'function' && !('accessToken' in fromEnv)) {
    const [kind, user, secret] =
      'username' in fromEnv
        ? (['account', fromEnv.username, fromEnv.password] as const)
        : (['channel', fromEnv.clientId, fromEnv.clientSecret] as const)
    return { base_url, kind, user, getSecret: async () => secret }
  }
  const kind = given['client-id'] === undefined ? 'account' : 'channel'
  const user =
    given['client-id'] ?? given.username ?? (await askText(context, 'OMS account: ', '--username NAME'))
  const inEnv = kind === 'account' ? env.TGW_PASSWORD : env.TGW_CLIENT_SECRET
  return { base_url, kind, user, getSecret: () => getSecret(context, given['secret-stdin'], inEnv, kind) }
}

async function getSecret(
  { input }: Context,
  isPiped: boolean,
  inEnvironment: string | undefined,
  kind: 'account' | 'channel',
): Promise<string> {
  if (isPiped) return (await input.readAll()).trim()
  if (inEnvironment) return inEnvironment
  if (input.canAsk) return input.askSecret(kind === 'account' ? 'Password: ' : 'Client secret: ')
  const variable = kind === 'account' ? 'TGW_PASSWORD' : 'TGW_CLIENT_SECRET'
  throw new UsageError(
    'There is no terminal to ask for the secret.',
    `Pipe it to --secret-stdin, or set ${variable}.`,
  )
}

async function askBase(context: Context): Promise<string> {
  if (!context.input.canAsk)
    throw new UsageError('The address of the gateway is missing.', 'Give --base-url URL.')
  return (await context.input.ask(`Gateway [${localGateway}]: `)) || localGateway
}

async function askText({ input }: Context, question: string, option: string): Promise<string> {
  if (input.canAsk) return input.ask(question)
  throw new UsageError('It is not said who signs in.', `Give ${option}, or --client-id ID for a channel.`)
}

async function readSandboxFile(file: string, base: string | undefined): Promise<Login> {
  const hint = 'A sandbox writes it to data/sandbox.json at its start.'
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}.`, hint)
  })
  const { base_url, username, password } = parseFields(text, file)
  if (!base_url || !username || !password) throw new UsageError(`${file} is not the file of a sandbox.`, hint)
  return { base_url: base ?? base_url, kind: 'account', user: username, getSecret: async () => password }
}

function parseFields(text: string, file: string): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(text)
    const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
    return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
  } catch {
    throw new UsageError(`${file} is not JSON.`)
  }
}

/** Signs in and reads `/me`, so that wrong credentials are never stored. The token is not kept. */
async function verify(context: Context, { base_url, kind, user }: Login, secret: string) {
  const { TradeGateway } = await import('@trade-gateway/sdk')
  const client = new TradeGateway({ baseUrl: base_url, auth: toCredentials({ kind, user }, secret) })
  const { account, channel, sandbox } = await client.me({ signal: context.signal })
  return { sandbox, account_id: account.account_id, channel_code: channel.channel_code }
}

export const logout = command({
  name: 'logout',
  summary: 'forget a profile with its secret, and revoke its token',
  examples: [['logout', 'the current profile']],
  async run(context) {
    const { current, profiles } = await readProfiles(context.paths)
    const name = context.globals.profile ?? current
    if (name === undefined) return reportProfile(context, null, 'You are not signed in.')
    await forget(context, name, requireProfile(profiles, name))
    await reportProfile(context, name, `The profile "${name}" is forgotten.`)
  },
})

/** Says what happened to a profile; a program gets its name. */
async function reportProfile(context: Context, profile: string | null, text: string): Promise<void> {
  if (context.globals.json) await context.out.json({ profile })
  await say(context, text)
}

/** Revokes the token if the gateway is there, and forgets everything in any case. */
async function forget(context: Context, name: string, profile: Profile): Promise<void> {
  const revoke = async () => {
    const client = await context.connect({ profile: name })
    await client.auth.revoke(undefined, { signal: context.signal, maxRetries: 0, deadlineMs: 5_000 })
  }
  if (profile.kind !== 'token')
    await revoke().catch(() => say(context, 'The token was not revoked. It ends by itself within an hour.'))
  context.signal.throwIfAborted()
  await deleteProfile(context.paths, name)
  await forgetSecret(context, getSecretName({ ...profile, name }), profile)
  await rm(getTokenFile(context.paths, { ...profile, name }), { force: true })
}

async function forgetSecret(context: Context, name: string, { secret_in }: Profile): Promise<void> {
  await sayIfKept(context, name, await deleteSecret(context, name, secret_in))
}

/** Says that the keychain has kept a secret, because no profile names it any more. */
async function sayIfKept(context: Context, name: string, isDeleted: boolean): Promise<void> {
  if (isDeleted) return
  await say(
    context,
    `The former secret was not deleted from the keychain of the system. Delete it there: service "trade-gateway", name "${name}".`,
  )
}

export const whoami = command({
  name: 'whoami',
  summary: 'show who you are to the gateway, what you may do and what is left of the points',
  isReading: true,
  examples: [
    ['whoami', 'the current profile'],
    ['whoami --json | jq -r .channel.plan', 'one field, for a script'],
  ],
  async run(context) {
    const client = await context.connect()
    const me = await client.me({ signal: context.signal })
    await printDocument(context, me)
  },
})

export const token = command({
  name: 'token',
  summary: 'print an access token for another program',
  isReading: true,
  examples: [['token', 'such as for curl: -H "Authorization: Bearer $(tgw token)"']],
  async run(context) {
    const client = await context.connect()
    const found = await client.auth.token({ signal: context.signal })
    await (context.globals.json ? context.out.json({ access_token: found }) : context.out.line(found))
  },
})

export const profilesList = command({
  name: 'profiles list',
  summary: 'list the profiles',
  isReading: true,
  examples: [['profiles list', 'the current one is marked']],
  async run({ globals, paths, out }) {
    const { current, profiles } = await readProfiles(paths)
    const rows = Object.entries(profiles).map(([name, { base_url, kind, user, sandbox }]) => ({
      current: name === current ? '*' : '',
      profile: name,
      base_url,
      kind,
      user,
      sandbox,
    }))
    if (globals.json) for (const row of rows) await out.json({ ...row, current: row.current !== '' })
    else if (rows.length > 0) await out.table(rows)
  },
})

export const profilesUse = command({
  name: 'profiles use',
  summary: 'make a profile the current one',
  examples: [['profiles use staging', '']],
  args: { profile: { help: 'the name of the profile' } },
  async run(context, { args }) {
    await selectProfile(context.paths, args.profile)
    await reportProfile(context, args.profile, `The current profile is "${args.profile}".`)
  },
})

export const profilesRemove = command({
  name: 'profiles remove',
  summary: 'forget a profile with its secret',
  examples: [['profiles remove staging', '']],
  args: { profile: { help: 'the name of the profile' } },
  async run(context, { args }) {
    const { profiles } = await readProfiles(context.paths)
    await forget(context, args.profile, requireProfile(profiles, args.profile))
    await reportProfile(context, args.profile, `The profile "${args.profile}" is forgotten.`)
  },
})
