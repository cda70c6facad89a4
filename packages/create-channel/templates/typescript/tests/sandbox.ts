import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A gateway with an account. */
export interface Sandbox {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  close(): Promise<void>
}

const startTimeoutMs = 120_000

/** Uses the sandbox of TGW_BASE_URL, TGW_USERNAME and TGW_PASSWORD, or starts one of the package `trade-gateway`. */
export async function openSandbox(): Promise<Sandbox> {
  const { TGW_BASE_URL: baseUrl, TGW_USERNAME: username = '', TGW_PASSWORD: password = '' } = process.env
  if (baseUrl) return { baseUrl, username, password, close: async () => {} }
  return startSandbox()
}

async function startSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'channel-sandbox-'))
  const child = spawn(process.execPath, [await findProgram()], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: folder,
      SANDBOX_STYLES: '100',
      SANDBOX_ACTIVITY: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    const fail = () => reject(new Error(`The sandbox did not start:\n${said}`))
    const timer = setTimeout(fail, startTimeoutMs)
    child.once('error', reject)
    child.once('exit', fail)
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString()
      if (!said.includes('Trade Gateway is ready')) return
      clearTimeout(timer)
      resolve()
    })
  })
  const { base_url, username, password } = JSON.parse(await readFile(join(folder, 'sandbox.json'), 'utf8'))
  return {
    baseUrl: base_url,
    username,
    password,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The file behind the command `trade-gateway`. Unlike the command, it starts without a shell on Windows, too. */
async function findProgram(): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('trade-gateway/package.json')
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'))
  return join(dirname(manifest), bin['trade-gateway'])
}
