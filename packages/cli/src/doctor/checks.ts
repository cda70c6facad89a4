/**
 * Finds out why the command, or an integration, does not work. Each check looks at one thing, and says what to type. A
 * check that needs what an earlier one did not find is left out, so that one fault gives one diagnosis.
 */

import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import type { GatewayError, TradeGateway } from '@trade-gateway/sdk'
import { findIdentity, type Identity } from '../connect.ts'
import type { Context } from '../context.ts'
import { isSystemError } from '../failures.ts'
import { getProfilesFile, readProfiles } from '../profiles/profiles.ts'
import { getSecretsFile } from '../profiles/secrets.ts'

export type Grade = 'ok' | 'warning' | 'failure'

/** What a check found. */
export interface Finding {
  readonly check: string
  readonly grade: Grade
  readonly text: string
  /** What to type; with every failure. */
  readonly fix?: string
}

export interface DoctorSetting {
  readonly context: Context
  /** A handler to look for. */
  readonly target: string | undefined
  readonly nodeVersion: string
  readonly now: () => number
}

const oldestNode = [20, 12] as const
/** The tolerance of signatures is five minutes. */
const maxSkewMs = 240_000
const warnSkewMs = 30_000
const connectTimeoutMs = 3_000
const callOptions = { maxRetries: 0, attemptTimeoutMs: 10_000, deadlineMs: 15_000 } as const

/** Runs the checks in order, and yields what each found. */
export async function* runChecks(setting: DoctorSetting): AsyncGenerator<Finding, void, undefined> {
  const { context } = setting
  yield checkNode(setting.nodeVersion)
  yield checkLanguage(context)
  yield* checkFiles(context)
  const identity = await findIdentityOrFinding(context)
  if ('check' in identity) return yield identity
  const address = checkAddress(identity.baseUrl)
  yield address
  if (address.grade === 'failure') return
  yield* checkProxy(context, identity.baseUrl)
  const client = await context.connect()
  yield* checkGateway(client, identity, setting)
  if (setting.target !== undefined) yield await checkHandler(setting.target)
}

function checkNode(version: string): Finding {
  const check = 'node'
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return { check, grade: 'ok', text: `Node ${version}` }
  const text = `Node ${version} is older than ${oldestNode.join('.')}.`
  return { check, grade: 'failure', text, fix: 'nvm install --lts' }
}

function checkLanguage({ globals }: Context): Finding {
  const check = 'language'
  const { lang = 'en' } = globals
  if (['en', 'zh', 'ko'].includes(lang)) return { check, grade: 'ok', text: lang }
  return {
    check,
    grade: 'failure',
    text: `TGW_LANG is "${lang}". It is en, zh or ko.`,
    fix: 'export TGW_LANG=en',
  }
}

async function* checkFiles({ paths }: Context): AsyncGenerator<Finding, void, undefined> {
  const check = 'files'
  try {
    await readProfiles(paths)
  } catch (error) {
    const file = getProfilesFile(paths)
    const why = error instanceof Error ? error.message : String(error)
    return yield { check, grade: 'failure', text: why, fix: `mv ${file} ${file}.bad && tgw login` }
  }
  const secrets = getSecretsFile(paths)
  const others = 0o077
  const mode = await stat(secrets).then((found) => found.mode, ignoreMissing)
  if (mode !== undefined && process.platform !== 'win32' && (mode & others) !== 0)
    yield { check, grade: 'failure', text: `Others can read ${secrets}.`, fix: `chmod 600 ${secrets}` }
  else yield { check, grade: 'ok', text: paths.config }
}

function ignoreMissing(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT')) throw error
}

async function findIdentityOrFinding(context: Context): Promise<Identity | Finding> {
  try {
    return await findIdentity(context)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { check: 'profile', grade: 'failure', text, fix: 'tgw login' }
  }
}

function checkAddress(baseUrl: string): Finding {
  const check = 'address'
  const fix = 'tgw login --base-url https://your-gateway.example'
  if (!URL.canParse(baseUrl)) return { check, grade: 'failure', text: `"${baseUrl}" is no address.`, fix }
  const { protocol, hostname, pathname } = new URL(baseUrl)
  if (/\/api\/v1\/?$/.test(pathname))
    return { check, grade: 'failure', text: `${baseUrl} must end before /api/v1.`, fix }
  if (protocol === 'http:' && !isLoopback(hostname))
    return { check, grade: 'warning', text: `${baseUrl} is not encrypted: others can read the secret.`, fix }
  return { check, grade: 'ok', text: baseUrl }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

async function* checkProxy({ env }: Context, baseUrl: string): AsyncGenerator<Finding, void, undefined> {
  const proxy = env.HTTPS_PROXY ?? env.https_proxy ?? env.HTTP_PROXY ?? env.http_proxy
  if (!proxy || isLoopback(new URL(baseUrl).hostname)) return
  const isUsed = env.NODE_USE_ENV_PROXY === '1'
  yield {
    check: 'proxy',
    grade: isUsed ? 'ok' : 'warning',
    text: isUsed ? 'Node uses the proxy of the environment' : 'A proxy is set, and Node does not use it.',
    ...(isUsed ? {} : { fix: 'export NODE_USE_ENV_PROXY=1' }),
  }
}

async function* checkGateway(
  client: TradeGateway,
  identity: Identity,
  { context: { signal }, now }: DoctorSetting,
): AsyncGenerator<Finding, void, undefined> {
  const { isGatewayError } = await import('@trade-gateway/sdk')
  const options = { ...callOptions, signal }
  let step = 'gateway'
  try {
    const { meta } = await client.errors.read('INTERNAL', options).withResponse()
    yield { check: step, grade: 'ok', text: `the API ${meta.apiVersion} responds` }
    yield checkClock(meta.headers.get('date'), now)
    step = 'sign-in'
    await client.auth.token({ signal })
    const me = await client.me(options)
    const what = `${me.account.name}, plan ${me.channel.plan}${me.sandbox ? ', sandbox' : ''}`
    yield { check: step, grade: 'ok', text: what }
    step = 'webhooks'
    if (me.permissions.includes('webhooks.manage')) yield* checkWebhooks(client, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!isGatewayError(error)) throw error
    yield describeFailure(step, error, identity)
  }
}

function checkClock(date: string | null, now: () => number): Finding {
  const check = 'clock'
  const skewMs = date === null ? 0 : now() - Date.parse(date)
  const size = Math.abs(skewMs)
  if (!(size > warnSkewMs)) return { check, grade: 'ok', text: 'agrees with the gateway’s' }
  const text = `The clock of this machine is ${Math.round(size / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the gateway’s.`
  const fix = 'sudo timedatectl set-ntp true'
  return size > maxSkewMs
    ? { check, grade: 'failure', text: `${text} Webhooks are refused as stale.`, fix }
    : { check, grade: 'warning', text, fix }
}

async function* checkWebhooks(
  client: TradeGateway,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, undefined> {
  const check = 'webhooks'
  let count = 0
  for await (const each of client.webhookEndpoints.list({}, { ...callOptions, signal })) {
    count += 1
    const { endpoint_id, url, last_failure_at, last_success_at, last_failure_status } = each
    if (last_failure_at === null || (last_success_at ?? '') >= last_failure_at) continue
    const why = last_failure_status === null ? 'does not respond' : `responds with ${last_failure_status}`
    const fix = `tgw webhooks trigger webhook.test --endpoint ${endpoint_id}`
    yield { check, grade: 'failure', text: `${url} ${why} since ${last_failure_at}.`, fix }
    return
  }
  yield { check, grade: 'ok', text: count === 0 ? 'no endpoint is registered' : `${count} registered` }
}

/** What to type after a failure of a call. */
function describeFailure(
  check: string,
  error: GatewayError,
  { baseUrl, profile, credentials }: Identity,
): Finding {
  const { code, message } = error
  const fail = (text: string, fix: string): Finding => ({ check, grade: 'failure', text, fix })
  const login = profile ? `tgw login --profile ${profile.name}` : `export ${getSecretVariable(credentials)}=…`
  if (code === 'CONNECTION_FAILED' || code === 'TIMED_OUT')
    return fail(`${baseUrl} cannot be reached. ${message}`, `curl -v ${baseUrl}/livez`)
  if (code === 'UNEXPECTED_RESPONSE')
    return fail(
      `Something else than the gateway responds at ${baseUrl}. ${message}`,
      `curl -i ${baseUrl}/livez`,
    )
  if (code === 'AUTH_BAD_CREDENTIALS') return fail('The credentials are refused.', login)
  if (code === 'AUTH_LOCKED') {
    const minutes = Math.ceil((error.retryAfterMs ?? 0) / 60_000)
    return fail('Too many wrong passwords: the account is locked.', `sleep ${minutes * 60} && tgw doctor`)
  }
  if (code.startsWith('AUTH_')) return fail(`The token is refused (${code}).`, login)
  return fail(message, `tgw errors explain ${code}`)
}

function getSecretVariable(credentials: Identity['credentials']): string {
  if ('accessToken' in credentials) return 'TGW_TOKEN'
  return 'clientSecret' in credentials ? 'TGW_CLIENT_SECRET' : 'TGW_PASSWORD'
}

/** Looks whether something listens where events are to go. */
async function checkHandler(target: string): Promise<Finding> {
  const check = 'handler'
  const { hostname, port, protocol } = new URL(target)
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(connectTimeoutMs, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
  if (isThere) return { check, grade: 'ok', text: `${target} takes connections` }
  return { check, grade: 'failure', text: `Nothing listens at ${target}.`, fix: `curl -v ${target}` }
}
