/** `npm run conformance` as a process of its own, against the connector that the README shows. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { conformanceChecks } from './conformance.ts'

const home = fileURLToPath(new URL('..', import.meta.url))
const command = fileURLToPath(new URL('conformance-command.ts', import.meta.url))
const readme = readFileSync(`${home}/README.md`, 'utf8')
const token = 'the-token-of-the-test'
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
})

interface ProcessResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<ProcessResult> {
  const child = spawn(process.execPath, [command, ...args], { env: { ...env, NODE_NO_WARNINGS: '1' } })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

/** Runs the connector of the README unchanged and returns its URL. */
function runReadmeConnector(): Promise<string> {
  const [, code = ''] = /```ts\n(.+?)```/s.exec(readme) ?? []
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    cwd: home,
    env: { UPSTREAM_TOKEN: token, PORT: '0', NODE_NO_WARNINGS: '1' },
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    let output = ''
    const collect = (text: Buffer) => {
      output += text
      const port = /port: (\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('close', () => reject(new Error(output)))
  })
}

describe('the connector of the README', () => {
  it('passes the conformance command', { timeout: 60_000 }, async () => {
    const { code, out, err } = await runCommand([await runReadmeConnector()], { UPSTREAM_TOKEN: token })
    expect(err).toBe('')
    const lines = out.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([])
    expect(lines).toHaveLength(conformanceChecks().length + 1)
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/)
    expect(code).toBe(0)
  })
})

describe('npm run conformance', () => {
  it('reports an unreachable ERP in one line', async () => {
    const { code, out } = await runCommand(['http://127.0.0.1:1'], { UPSTREAM_TOKEN: token })
    expect(out).toMatch(/^FAILED {3}connect: .+\.\n0 passed, 1 failed, 0 skipped\n$/)
    expect(code).toBe(1)
  })

  it('reports a wrong token', async () => {
    const { code, out } = await runCommand([await runReadmeConnector()], { UPSTREAM_TOKEN: 'another' })
    expect(out).toContain('401')
    expect(out).toContain('UPSTREAM_TOKEN')
    expect(code).toBe(1)
  })

  it('takes a customer to which the account does not belong', async () => {
    const args = [await runReadmeConnector(), '--other-customer', 'ANOTHER']
    expect(await runCommand(args, { UPSTREAM_TOKEN: token })).toMatchObject({ code: 0, err: '' })
  })

  it('prints help', async () => {
    expect(await runCommand(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage:'),
      err: '',
    })
  })

  it.each([
    [[], {}, 'Give exactly one URL.'],
    [['ftp://a.example'], { UPSTREAM_TOKEN: token }, 'is not an http or https URL'],
    [['http://a.example'], {}, 'Set UPSTREAM_TOKEN'],
    [['http://a.example', '--password', 'x'], { UPSTREAM_TOKEN: token }, '--password'],
    [['http://a.example', '--username', 'buyer'], { UPSTREAM_TOKEN: token }, 'Set UPSTREAM_PASSWORD'],
    [['http://a.example', '--sku', 'TEE'], { UPSTREAM_TOKEN: token }, 'Orders require --warehouse'],
    [['http://a.example', '--sku', 'TEE', '--warehouse', 'A'], { UPSTREAM_TOKEN: token }, '--username'],
  ])('refuses %j with exit code 64', async (args, env, sentence) => {
    const { code, out, err } = await runCommand(args, env)
    expect(err).toContain(sentence)
    expect(out).toBe('')
    expect(code).toBe(64)
  })
})
