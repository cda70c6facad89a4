import { describe, expect, it } from 'vitest'
import { ProcessFailed, StartedProcess } from '../src/child-process.ts'
import { SupervisedProcess } from '../src/supervised-process.ts'

function superviseProgram(program: string) {
  const pids: number[] = []
  const supervised = new SupervisedProcess('The child', () => {
    const child = new StartedProcess({ name: 'The child', args: ['-e', program], env: {} })
    pids.push(child.pid)
    return { child, ready: child.waitForText('\n', 'stdout', { timeoutMs: 20_000 }) }
  })
  return { supervised, pids }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const waits = 'console.log("ready"); setInterval(() => {}, 1000)'

describe('a supervised process', () => {
  it('can be killed and started again, and is gone after it was ended', async () => {
    const { supervised, pids } = superviseProgram(waits)
    await supervised.start()
    await supervised.kill()
    await supervised.start()
    expect(pids.map(isAlive)).toEqual([false, true])
    await supervised.stop()
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(supervised.ended.aborted).toBe(false)
  })

  it('does not come back after it was ended, even where it had just been killed', async () => {
    const { supervised, pids } = superviseProgram(waits)
    await supervised.start()
    await supervised.kill()
    await supervised.stop()
    await expect(supervised.start()).rejects.toThrow(ProcessFailed)
    expect(pids).toHaveLength(1)
  })

  it('reports an unexpected exit with the last output', async () => {
    const { supervised } = superviseProgram(
      'console.log("ready"); setTimeout(() => { console.error("no more"); process.exit(3) }, 50)',
    )
    await supervised.start()
    await new Promise((resolve) => supervised.ended.addEventListener('abort', resolve, { once: true }))
    expect(String(supervised.ended.reason)).toMatch(/The child ended \(3\)[\s\S]*no more/)
  })

  it('cannot be started where it ends before it is ready', async () => {
    const { supervised } = superviseProgram('process.exit(1)')
    await expect(supervised.start()).rejects.toThrow('The child ended (1)')
  })

  it('counts what is logged as an error', async () => {
    const { supervised } = superviseProgram(
      `console.log('{"level":"error","error":"x"}'); setInterval(() => {}, 1000)`,
    )
    await supervised.start()
    await supervised.stop()
    expect(supervised.errors).toEqual({ count: 1, first: ['{"level":"error","error":"x"}'] })
  })
})
