import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { freezeTree, killTree, listChildren, signalProcess, thawTree } from '../src/process-tree.ts'
import { readProcessState } from './process-state.ts'

const ids: number[] = []
afterEach(() => {
  for (const pid of ids.splice(0)) signalProcess(pid, 'SIGKILL')
})

/** Starts a shell with two children, and returns the ids of all three. */
async function startTree() {
  const shell = spawn('/bin/sh', ['-c', 'sleep 600 & sleep 600 & echo ready; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(shell.stdout, 'data')
  const pid = shell.pid ?? 0
  const tree = [pid, ...listChildren(pid)]
  ids.push(...tree)
  return { pid, tree, ended: once(shell, 'exit') }
}

describe('a process and its children', () => {
  it('are stopped, continued and killed together', async () => {
    const { pid, tree, ended } = await startTree()
    expect(tree).toHaveLength(3)
    freezeTree(pid)
    await expect.poll(() => tree.map(readProcessState)).toEqual(['T', 'T', 'T'])
    thawTree(pid)
    await expect.poll(() => tree.map(readProcessState)).not.toContain('T')
    killTree(pid)
    await ended
    // Whoever adopts the children may not have asked for their exit code yet.
    await expect
      .poll(() => tree.map(readProcessState).filter((state) => state !== undefined && state !== 'Z'))
      .toEqual([])
    expect(listChildren(pid)).toEqual([])
  })

  it('are never the process group of the caller', () => {
    expect(signalProcess(0, 'SIGKILL')).toBe(false)
  })
})
