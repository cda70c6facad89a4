/**
 * Runs the built-in ERP as a child process. It gets its settings in a message, so that no secret appears on a command
 * line. It ends with this process; if it exits on its own, it is started again on the same port.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Account } from '@trade-gateway/sandbox-erp'
import type { ChildMessage, StartMessage } from '@trade-gateway/sandbox-erp/child'
import { ensureChannel } from '../access/channels.ts'
import type { Config } from '../config.ts'
import type { Gateway } from '../gateway.ts'
import type { Log } from '../kernel/log.ts'
import { writePrivately } from '../kernel/private-file.ts'
import type { Settings } from './settings.ts'

const restartMs = 500
const startTimeoutMs = 120_000
/** The file descriptor of this process's standard error. */
const standardError = 2
const childFile = fileURLToPath(import.meta.resolve('@trade-gateway/sandbox-erp/child'))

export interface SandboxProcess {
  readonly url: string
  readonly token: string
  readonly pid: () => number | undefined
  readonly leftOut: readonly { line: number; sku: string; reason: string }[]
  stop(): Promise<void>
}

/** The error if the sandbox ERP could not be started; the message says why. */
export class SandboxFailed extends Error {
  /** Whether the sandbox ERP itself refused its settings, such as a catalogue file. */
  readonly isConfiguration: boolean

  constructor(message: string, isConfiguration = false) {
    super(message)
    this.isConfiguration = isConfiguration
  }
}

interface SandboxStart {
  readonly config: Config
  readonly settings: Settings
  readonly log: Log
  /** Called whenever the sandbox ERP was started again, with another process id. */
  onRestart(): void
}

export async function startSandbox({
  config,
  settings,
  log,
  onRestart,
}: SandboxStart): Promise<SandboxProcess> {
  const message = toStartMessage(config, settings)
  let isStopped = false
  let child = forkChild()
  const { url, left_out } = await waitUntilReady(child, message(0))
  const port = Number(new URL(url).port)

  const restart = () => {
    if (isStopped) return
    child = forkChild()
    restartOnExit(child)
    waitUntilReady(child, message(port)).then(onRestart, (error: unknown) => {
      log.error({ error }, 'the sandbox ERP could not be started again')
      child.kill('SIGKILL')
    })
  }
  const restartOnExit = (running: ChildProcess) => {
    running.once('exit', (code, signal) => {
      if (isStopped) return
      log.warn({ operation: 'sandbox ERP' }, `the sandbox ERP exited (${signal ?? code}) and is restarted`)
      setTimeout(restart, restartMs)
    })
  }
  restartOnExit(child)
  return {
    url,
    token: settings.SANDBOX_ERP_TOKEN ?? '',
    pid: () => child.pid,
    leftOut: left_out,
    async stop() {
      isStopped = true
      await terminate(child)
    },
  }
}

function forkChild(): ChildProcess {
  // Standard output carries the gateway's log only. What the child prints, such as a warning of Node, is for people.
  return fork(childFile, [], { execArgv: [], stdio: ['ignore', standardError, standardError, 'ipc'] })
}

/** Builds the message that starts the sandbox ERP on a port; 0 selects a free one. */
function toStartMessage({ dataDir, sandbox }: Config, settings: Settings) {
  const { catalogue, seed, styles, activity } = sandbox
  return (port: number): StartMessage => ({
    start: {
      port,
      database: join(dataDir, 'sandbox-erp.db'),
      ...(catalogue === undefined ? {} : { catalogue }),
      seed,
      styles,
      activity,
      token: settings.SANDBOX_ERP_TOKEN ?? '',
      accounts: toSandboxAccounts(settings),
    },
  })
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function waitUntilReady(child: ChildProcess, message: StartMessage) {
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

function toSandboxAccounts(settings: Settings): Account[] {
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

const allEnabled = { wholesale_enabled: true, dropship_enabled: true, webhooks_enabled: true }

/** Creates the two channels of the sandbox's customers, with the printed credentials. */
export async function ensureSandboxChannels(gateway: Gateway, settings: Settings): Promise<void> {
  const common = { plan: 'full', warehouse_allowlist: [], points_per_minute: null, ...allEnabled }
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

interface SandboxFile {
  readonly dataDir: string
  readonly baseUrl: string
  readonly settings: Settings
  readonly sandbox: SandboxProcess
}

/** Writes a file with everything that a script needs to use the sandbox. Only its owner can read it. */
export function writeSandboxFile({ dataDir, baseUrl, settings, sandbox }: SandboxFile) {
  const content = {
    base_url: baseUrl,
    username: settings.SANDBOX_USERNAME,
    password: settings.SANDBOX_PASSWORD,
    client_id: settings.SANDBOX_CLIENT_ID,
    client_secret: settings.SANDBOX_CLIENT_SECRET,
    admin_token: settings.ADMIN_TOKEN,
    erp_url: sandbox.url,
    erp_pid: sandbox.pid(),
  }
  writePrivately(join(dataDir, 'sandbox.json'), `${JSON.stringify(content, null, 2)}\n`)
}
