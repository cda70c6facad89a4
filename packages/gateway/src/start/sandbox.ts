import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Account } from '@trade-gateway/sandbox-erp'
import type { ChildMessage, StartMessage } from '@trade-gateway/sandbox-erp/child'
import { ensureChannel } from '../access/channels.ts'
import type { Config } from '../config.ts'
import type { Gateway } from '../gateway.ts'
import type { Log } from '../kernel/log.ts'
import { type Settings, writePrivately } from './settings.ts'

/**
 * The built-in ERP as a child process. It is told its settings in a message, so that no secret stands on a command
 * line; it ends with this process and is started again, on the same port, when it dies.
 */
const restartMs = 500
const startTimeoutMs = 120_000
const childFile = fileURLToPath(import.meta.resolve('@trade-gateway/sandbox-erp/child'))

export interface SandboxProcess {
  readonly url: string
  readonly token: string
  readonly pid: () => number | undefined
  readonly leftOut: readonly { line: number; sku: string; reason: string }[]
  stop(): Promise<void>
}

/** The sandbox ERP could not be started; the message says why. */
export class SandboxFailed extends Error {
  /** Whether it said itself what is wrong with what it was told: a catalogue file, or another one than before. */
  readonly isConfiguration: boolean

  constructor(message: string, isConfiguration = false) {
    super(message)
    this.isConfiguration = isConfiguration
  }
}

export async function startSandbox(
  config: Config,
  settings: Settings,
  log: Log,
  restarted: () => void,
): Promise<SandboxProcess> {
  const token = settings.SANDBOX_ERP_TOKEN ?? ''
  const message = (port: number): StartMessage => ({
    start: {
      port,
      database: join(config.dataDir, 'sandbox-erp.db'),
      ...(config.sandbox.catalogue === undefined ? {} : { catalogue: config.sandbox.catalogue }),
      seed: config.sandbox.seed,
      activity: config.sandbox.activity,
      token,
      accounts: accountsOf(settings),
    },
  })
  let stopped = false
  let child = fork(childFile, [], { execArgv: [] })
  const { url, left_out } = await ready(child, message(0))
  const port = Number(new URL(url).port)

  const watch = (running: ChildProcess) => {
    running.once('exit', (code, signal) => {
      if (stopped) return
      log.warn({ operation: 'sandbox ERP' }, `the sandbox ERP ended (${signal ?? code}); it is started again`)
      setTimeout(() => {
        if (stopped) return
        child = fork(childFile, [], { execArgv: [] })
        watch(child)
        ready(child, message(port)).then(restarted, (error: unknown) => {
          log.error({ error }, 'the sandbox ERP did not come back')
          child.kill('SIGKILL')
        })
      }, restartMs)
    })
  }
  watch(child)
  return {
    url,
    token,
    pid: () => child.pid,
    leftOut: left_out,
    async stop() {
      stopped = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

function ready(child: ChildProcess, message: StartMessage) {
  return new Promise<Extract<ChildMessage, { ready: unknown }>['ready']>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new SandboxFailed(`The sandbox ERP was not ready after ${startTimeoutMs / 1000} seconds.`))
      child.kill('SIGKILL')
    }, startTimeoutMs)
    child.once('message', (said: ChildMessage) => {
      clearTimeout(timer)
      if ('ready' in said) resolve(said.ready)
      else reject(new SandboxFailed(said.failed.message, true))
    })
    child.once('exit', () => {
      clearTimeout(timer)
      reject(new SandboxFailed('The sandbox ERP ended before it was ready.'))
    })
    child.send(message)
  })
}

function accountsOf(settings: Settings): Account[] {
  return [
    {
      account_id: 'acc_sandbox_1',
      username: settings.SANDBOX_USERNAME ?? '',
      password: settings.SANDBOX_PASSWORD ?? '',
      name: 'Harbour Trading, purchasing',
      customer_code: 'CUST-HARBOUR',
    },
    {
      account_id: 'acc_sandbox_2',
      username: settings.SANDBOX_USERNAME_2 ?? '',
      password: settings.SANDBOX_PASSWORD_2 ?? '',
      name: 'Lantern Retail, purchasing',
      customer_code: 'CUST-LANTERN',
    },
  ]
}

const everythingOn = { wholesale_enabled: true, dropship_enabled: true, webhooks_enabled: true }

/** The two channels of the sandbox's customers, with the credentials that are printed. */
export async function ensureSandboxChannels(gateway: Gateway, settings: Settings): Promise<void> {
  const common = { plan: 'full', warehouse_allowlist: [], points_per_minute: null, ...everythingOn }
  await ensureChannel(gateway, {
    ...common,
    channel_code: 'sandbox',
    name: 'Sandbox',
    customer_code: 'CUST-HARBOUR',
    client_id: settings.SANDBOX_CLIENT_ID ?? '',
    client_secret: settings.SANDBOX_CLIENT_SECRET ?? '',
  })
  await ensureChannel(gateway, {
    ...common,
    channel_code: 'sandbox-2',
    name: 'Sandbox, second channel',
    customer_code: 'CUST-LANTERN',
    client_id: `${settings.SANDBOX_CLIENT_ID ?? ''}-2`,
    client_secret: settings.SANDBOX_CLIENT_SECRET_2 ?? '',
  })
}

/** What a script needs to use the sandbox, in one file for its owner. */
export function writeSandboxFile(dataDir: string, baseUrl: string, settings: Settings, erp: SandboxProcess) {
  const story = {
    base_url: baseUrl,
    username: settings.SANDBOX_USERNAME,
    password: settings.SANDBOX_PASSWORD,
    client_id: settings.SANDBOX_CLIENT_ID,
    client_secret: settings.SANDBOX_CLIENT_SECRET,
    admin_token: settings.ADMIN_TOKEN,
    erp_url: erp.url,
    erp_pid: erp.pid(),
  }
  writePrivately(join(dataDir, 'sandbox.json'), `${JSON.stringify(story, null, 2)}\n`)
}
