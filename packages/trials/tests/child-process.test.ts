import { describe, expect, it } from 'vitest'
import { ProcessFailed, StartedProcess } from '../src/child-process.ts'

const timeoutMs = 20_000
const startProgram = (program: string, more: object = {}) =>
  new StartedProcess({ name: 'The child', args: ['-e', program], env: {}, ...more })

describe('a started process', () => {
  it('does not inherit our environment, and receives its message first', async () => {
    const child = startProgram(
      'process.once("message", (sent) => { process.send({ sent, home: process.env.HOME ?? null }); process.disconnect() })',
      { message: { secret: 'x' } },
    )
    expect(await child.waitForMessage({ timeoutMs })).toEqual({ sent: { secret: 'x' }, home: null })
    await child.stop()
  })

  it('is ready when it printed the text, even in pieces', async () => {
    const child = startProgram(
      'process.stdout.write("rea"); setTimeout(() => process.stdout.write("dy"), 50)',
    )
    await child.waitForText('ready', 'stdout', { timeoutMs })
    await child.stop()
    expect(child.ended.aborted).toBe(false)
  })

  it('that ends before it is ready fails with its status and what it said', async () => {
    const child = startProgram('console.error("no more"); process.exit(3)')
    await expect(child.waitForText('ready', 'stdout', { timeoutMs })).rejects.toThrow(
      /^The child ended \(3\)\. It said:\nno more/,
    )
    expect(child.ended.reason).toBeInstanceOf(ProcessFailed)
  })

  it('rejects the callers that wait for it when it is killed', async () => {
    const child = startProgram('setInterval(() => {}, 1000)')
    const ready = expect(child.waitForText('ready', 'stdout', { timeoutMs })).rejects.toThrow(
      'The child ended (SIGKILL)',
    )
    await child.kill()
    await ready
    expect(child.ended.aborted).toBe(false)
  })

  it('that is not ready in time fails, and so does a wait that is called off', async () => {
    const child = startProgram('setInterval(() => {}, 1000)')
    await expect(child.waitForText('ready', 'stdout', { timeoutMs: 1 })).rejects.toThrow(
      'was not ready after 0.001 seconds',
    )
    const signal = AbortSignal.abort(new Error('called off'))
    await expect(child.waitForText('ready', 'stdout', { timeoutMs, signal })).rejects.toThrow('called off')
    await child.stop()
  })

  it('that cannot be run says so', async () => {
    const child = startProgram('', { command: '/nowhere/program' })
    await expect(child.waitForText('ready', 'stdout', { timeoutMs })).rejects.toThrow(
      'The child cannot run: ',
    )
    await child.stop()
  })
})
