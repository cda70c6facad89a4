import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials, StoredToken, TokenStore, TradeGateway } from '@trade-gateway/sdk'
import { type ConnectOptions, type Context, say } from './context.ts'
import { CommandError, exitCodes, UsageError } from './failures.ts'
import type { Paths } from './profiles/paths.ts'
import { readJsonFile, writeJsonFile } from './profiles/private-file.ts'
import { defaultProfile, type Profile, readProfiles, requireProfile } from './profiles/profiles.ts'
import { readSecret } from './profiles/secrets.ts'

/** Who signs in, and where. */
export interface Identity {
  readonly baseUrl: string
  readonly credentials: Credentials
  /** The profile; undefined for credentials of the environment. */
  readonly profile: (Profile & { readonly name: string }) | undefined
}

const maxTimeoutSeconds = 86_400

/**
 * Opens the client of the chosen profile, or of the credentials in the environment. Sends nothing.
 */
export async function openClient(
  context: Context,
  version: string,
  { isPublic = false, profile }: ConnectOptions = {},
): Promise<TradeGateway> {
  const found = profile === undefined ? findIdentity(context) : findIdentityOf(context, profile)
  const identity = await found.catch((error: unknown) => {
    const baseUrl = context.globals['base-url']
    if (!isPublic || baseUrl === undefined) throw error
    return { baseUrl, credentials: () => Promise.reject(error), profile: undefined } satisfies Identity
  })
  const { baseUrl, credentials } = identity
  const tokenFile = findTokenFile(context.paths, identity)
  const { TradeGateway, formatEvent } = await import('@trade-gateway/sdk')
  const { lang, timeout, debug } = context.globals
  const deadlineMs = readTimeout(timeout)
  const client = new TradeGateway({
    baseUrl,
    auth: credentials,
    pace: 'smooth',
    headers: { 'user-agent': `tgw/${version}` },
    ...(isLanguage(lang) ? { language: lang } : {}),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(tokenFile === undefined ? {} : { tokenStore: openTokenStore(tokenFile) }),
  })
  client.on('notice', ({ message }) => void say(context, message))
  if (debug) {
    const print = (event: Parameters<typeof formatEvent>[0]) =>
      void context.talk.line(formatEvent(event)).catch(() => {})
    for (const type of ['request', 'response', 'retry'] as const) client.on(type, print)
  } else {
    client.on('retry', ({ code, delayMs }) => {
      void say(context, `${code}: trying again in ${Math.ceil(delayMs / 1000)} s`)
    })
  }
  return client
}

/**
 * Finds who signs in: `--profile`, then the environment, then the current profile. Credentials of the environment go to
 * the address of the environment, or of a profile that is named. Throws `CommandError` if nobody is signed in. A stored
 * secret is only ever sent to the gateway that it was stored for.
 */
export async function findIdentity({ globals, env, paths }: Context): Promise<Identity> {
  const given = globals.isProfileOption ? undefined : readEnvironment(env)
  const named = globals.profile
  const base = globals['base-url']
  if (given) {
    // The current profile may be of another gateway, which must not get them.
    const baseUrl = base ?? (named === undefined ? undefined : (await findProfile(paths, named))?.base_url)
    if (baseUrl === undefined)
      throw new UsageError(
        'The environment has credentials and no address.',
        'Set TGW_BASE_URL, give --base-url, or name the profile that has the address in TGW_PROFILE.',
      )
    return { baseUrl, credentials: given, profile: undefined }
  }
  if (!globals.isProfileOption) refuseNameWithoutSecret(env)
  const profile = await findProfile(paths, named)
  if (!profile)
    throw new CommandError('You are not signed in.', {
      exitCode: exitCodes.auth,
      hint: 'Run `tgw login`, or set TGW_BASE_URL with TGW_USERNAME and TGW_PASSWORD.',
    })
  if (base !== undefined && !areSameBase(base, profile.base_url))
    throw new UsageError(
      `The secret of the profile "${profile.name}" belongs to ${profile.base_url}, and is not sent to ${base}.`,
      `Run \`tgw login --base-url ${base} --profile NAME\`.`,
    )
  return readIdentity({ paths, env }, profile)
}

/** Whether the token of TGW_TOKEN is the one that a command sends. */
export function isTokenOfEnvironment({ globals, env }: Pick<Context, 'globals' | 'env'>): boolean {
  return Boolean(env.TGW_TOKEN) && !globals.isProfileOption
}

/** Finds who signs in with a stored profile at its own gateway, whatever the environment and the options say. */
async function findIdentityOf({ env, paths }: Context, name: string): Promise<Identity> {
  const { profiles } = await readProfiles(paths)
  return readIdentity({ paths, env }, { ...requireProfile(profiles, name), name })
}

async function readIdentity(
  setting: Pick<Context, 'paths' | 'env'>,
  profile: Profile & { readonly name: string },
): Promise<Identity> {
  const secret = await readSecret(setting, getSecretName(profile), profile.secret_in)
  if (secret === undefined)
    throw new CommandError(
      `The secret of the profile "${profile.name}" is not in the ${profile.secret_in} any more.`,
      {
        exitCode: exitCodes.auth,
        hint: `Run \`tgw login --profile ${profile.name}\`.`,
      },
    )
  return { baseUrl: profile.base_url, credentials: toCredentials(profile, secret), profile }
}

async function findProfile(paths: Paths, named: string | undefined) {
  const { current, profiles } = await readProfiles(paths)
  const name = named ?? current ?? defaultProfile
  if (named === undefined && !Object.hasOwn(profiles, name)) return undefined
  return { ...requireProfile(profiles, name), name }
}

export function toCredentials({ kind, user }: Pick<Profile, 'kind' | 'user'>, secret: string): Credentials {
  if (kind === 'token') return { accessToken: secret }
  return kind === 'channel' ? { clientId: user, clientSecret: secret } : { username: user, password: secret }
}

/** Reads the credentials of the environment; undefined if there are none. */
export function readEnvironment(env: Context['env']): Credentials | undefined {
  const { TGW_TOKEN, TGW_CLIENT_ID, TGW_CLIENT_SECRET, TGW_USERNAME, TGW_PASSWORD } = env
  if (TGW_TOKEN) return { accessToken: TGW_TOKEN }
  if (TGW_USERNAME && TGW_PASSWORD) return { username: TGW_USERNAME, password: TGW_PASSWORD }
  if (TGW_CLIENT_ID && TGW_CLIENT_SECRET) return { clientId: TGW_CLIENT_ID, clientSecret: TGW_CLIENT_SECRET }
  return undefined
}

const pairs = [
  ['TGW_USERNAME', 'TGW_PASSWORD'],
  ['TGW_CLIENT_ID', 'TGW_CLIENT_SECRET'],
] as const

/**
 * Throws if the environment names an account or a channel without its secret, as in a script whose store of secrets
 * returned nothing. The current profile may be another one.
 */
function refuseNameWithoutSecret(env: Context['env']) {
  for (const [name, secret] of pairs) {
    if (env[name] && !env[secret])
      throw new UsageError(
        `${name} is set and ${secret} is not.`,
        'Set both, or name a stored profile with --profile.',
      )
  }
}

export function areSameBase(one: string, other: string): boolean {
  const normalize = (base: string) => (URL.canParse(base) ? new URL(base).href.replace(/\/+$/, '') : base)
  return normalize(one) === normalize(other)
}

function readTimeout(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= maxTimeoutSeconds)
    return Math.ceil(seconds * 1000)
  throw new UsageError(`--timeout must be a number of seconds, and is "${given}".`)
}

function isLanguage(lang: string | undefined): lang is 'en' | 'zh' | 'ko' {
  return lang === 'en' || lang === 'zh' || lang === 'ko'
}

/**
 * Keeps a token between commands, as secret as what it was requested with: an account may request 60 tokens a minute,
 * and a script runs more commands. A token that cannot be kept, as on a read-only disk, is requested again.
 */
function openTokenStore(file: string): TokenStore {
  return {
    async get() {
      const found = await readJsonFile(file).catch(() => undefined)
      return isStoredToken(found) ? found : undefined
    },
    async set(token) {
      const change = token ? writeJsonFile(file, token) : rm(file, { force: true })
      await change.catch(() => {})
    },
  }
}

type ProfileIdentity = Pick<Profile, 'base_url' | 'kind' | 'user'> & { readonly name: string }

/** A token belongs to one account at one gateway, so a profile that is replaced never uses the former token. */
export function getTokenFile(paths: Paths, { name, base_url, kind, user }: ProfileIdentity): string {
  return toTokenFile(paths, [name, base_url, kind, user])
}

/**
 * Names the secret of a new profile. It belongs to one account at one gateway, too: if the sign-in is killed between the
 * secret and the profile, the former profile still has its own secret.
 */
export function createSecretName({ name, base_url, kind, user }: ProfileIdentity): string {
  return `${name}:${hashIdentity([base_url, kind, user])}`
}

/** Returns the name under which the secret of a profile is stored. */
export function getSecretName({ name, secret_name = name }: Profile & { readonly name: string }): string {
  return secret_name
}

/** Names the file of the token; undefined for credentials that are a token. */
function findTokenFile(paths: Paths, { baseUrl, credentials, profile }: Identity): string | undefined {
  if (typeof credentials === 'function' || 'accessToken' in credentials) return undefined
  // Another secret gets another token, so that a wrong one is refused.
  return profile ? getTokenFile(paths, profile) : toTokenFile(paths, [baseUrl, credentials])
}

function toTokenFile(paths: Paths, identity: readonly unknown[]): string {
  return join(paths.state, 'tokens', `${hashIdentity(identity)}.json`)
}

function hashIdentity(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)
}

function isStoredToken(value: unknown): value is StoredToken {
  return typeof value === 'object' && value !== null && 'accessToken' in value && 'expiresAt' in value
}
