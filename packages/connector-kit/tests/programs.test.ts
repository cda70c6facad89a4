import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  requireFreePort,
  runProgram,
  SandboxError,
  startProgram,
  waitUntilReady,
} from '../src/sandbox/programs.ts'

const node = process.execPath
const soon = { maxMs: 10_000, pollMs: 5 }

async function withLog(test: (log: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trade-gateway-programs-'))
  try {
    await test(join(folder, 'log'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('runProgram', () => {
  it('returns the output', async () => {
    expect(await runProgram(node, ['-e', 'console.log(process.env.WORD)'], { env: { WORD: 'here' } })).toBe(
      'here\n',
    )
  })

  it('says why a program failed, by the end of its error output', async () => {
    const lines = 'for (const line of [1, 2, 3, 4, 5, 6]) console.error("line " + line); process.exit(3)'
    const failing = runProgram(node, ['-e', lines])
    await expect(failing).rejects.toThrow(SandboxError)
    await expect(failing).rejects.toThrow(/failed: line 2\n(?:line \d\n){3}line 6$/)
  })
})

describe('a program that runs until it is stopped', () => {
  it('is ready when it says so, writes its output to the log, and ends with its signal', () =>
    withLog(async (log) => {
      const program = startProgram(node, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { log })
      const isUp = async () => (await readFile(log, 'utf8').catch(() => '')).includes('up')
      expect(await waitUntilReady(program, isUp, soon)).toBe(true)
      await program.stop('SIGTERM')
      await program.ended
      // A second stop finds nothing to do.
      await program.stop('SIGTERM')
    }))

  it('is not awaited after it has ended', () =>
    withLog(async (log) => {
      const program = startProgram(node, ['-e', ''], { log })
      expect(await waitUntilReady(program, async () => false, { maxMs: Infinity, pollMs: 5 })).toBe(false)
    }))

  it('that does not exist has ended', () =>
    withLog(async (log) => {
      await startProgram('/nowhere/program', [], { log }).ended
    }))

  it('is not started without its log', () => {
    const start = () => startProgram(node, ['-e', ''], { log: '/nowhere/log' })
    expect(start).toThrow(SandboxError)
    expect(start).toThrow('/nowhere/log')
  })

  it('writes what it says last', () =>
    withLog(async (log) => {
      const program = startProgram(node, ['-e', 'console.log("x".repeat(100_000) + "last")'], { log })
      await program.ended
      expect(await readFile(log, 'utf8')).toMatch(/last\n$/)
    }))
})

describe('requireFreePort', () => {
  it('refuses a port on which something listens, and names the flag', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await expect(requireFreePort(port, '--port')).rejects.toThrow(
      `The port ${port} is in use. Give another --port.`,
    )
    await new Promise((resolve) => server.close(resolve))
    await requireFreePort(port, '--port')
  })
})
