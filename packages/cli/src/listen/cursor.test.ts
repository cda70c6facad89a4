import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Cursor, openCursor } from './cursor.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tgw-cursor-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (...types: string[]): Promise<Cursor> =>
  openCursor(
    { config: folder, state: folder },
    { base_url: 'http://gateway.example', channel_code: 'C-1', forward_to: 'http://127.0.0.1:9/', types },
  )

async function acknowledge(event_id: string, ...types: string[]): Promise<void> {
  const cursor = await open(...types)
  await cursor.acknowledge(event_id)
  await cursor.release()
}

async function readPlace(...types: string[]) {
  const cursor = await open(...types)
  await cursor.release()
  return cursor.place?.event_id
}

describe('the place of a stream', () => {
  it('is not moved by a run that leaves these events out', async () => {
    await acknowledge('evt_1', 'order.created')
    await acknowledge('evt_9', 'stock.changed')
    expect(await readPlace('order.created')).toBe('evt_1')
    expect(await readPlace()).toBeUndefined()
  })

  it('is the same for the same types in another order', async () => {
    await acknowledge('evt_1', 'order.created', 'stock.changed')
    expect(await readPlace('stock.changed', 'order.created', 'stock.changed')).toBe('evt_1')
  })

  it('without types has the name that it always had', async () => {
    await acknowledge('evt_1')
    expect(await readdir(join(folder, 'listen'))).toEqual(['8c33a6cbf913596b564262d494422e40.json'])
  })
})

describe('the lock of a stream', () => {
  /** Writes a lock as another process does, and leaves the stream as it is. */
  async function leaveLock(text: string): Promise<void> {
    await acknowledge('evt_1')
    const [name = ''] = await readdir(join(folder, 'listen'))
    await writeFile(join(folder, 'listen', `${name}.lock`), text)
  }

  it('of this process’s own number is left over from a former run of its container', async () => {
    await leaveLock(String(process.pid))
    expect(await readPlace()).toBe('evt_1')
  })

  it('of a process that has ended, or that is empty, is left over', async () => {
    const child = spawn(process.execPath, ['--version'])
    await new Promise((resolve) => child.once('close', resolve))
    for (const text of [String(child.pid), '']) {
      await leaveLock(text)
      expect(await readPlace()).toBe('evt_1')
    }
  })

  it('is never there without its number, which another process would take for left over', async () => {
    await acknowledge('evt_1')
    const [name = ''] = readdirSync(join(folder, 'listen'))
    const readLock = () => {
      try {
        return readFileSync(join(folder, 'listen', `${name}.lock`), 'utf8')
      } catch {
        return undefined
      }
    }
    const seen = new Set<string | undefined>()
    for (let round = 0; round < 50; round++) {
      let isOpen = false
      const opening = open().finally(() => {
        isOpen = true
      })
      for (; !isOpen; await nextTurn()) seen.add(readLock())
      await (await opening).release()
    }
    seen.delete(undefined)
    expect(seen.size).toBe(1)
    expect([...seen][0]).toMatch(new RegExp(`^${process.pid} `))
  })

  it('of a running process is kept, and its file is named', async () => {
    await leaveLock(String(process.ppid))
    const refused = open()
    await expect(refused).rejects.toThrow(`Process ${process.ppid} forwards these events already.`)
    const names = await readdir(join(folder, 'listen'))
    const [lock = '', ...others] = names.filter((name) => !name.endsWith('.json'))
    expect(others).toEqual([])
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringContaining(join(folder, 'listen', lock)),
    })
  })

  it('of a process that has ended, whose number another one has now, is left over', async () => {
    await leaveLock(`${process.ppid} 1`)
    expect(await readPlace()).toBe('evt_1')
  })

  it('is given back if the place cannot be read', async () => {
    await acknowledge('evt_1')
    const [name = ''] = await readdir(join(folder, 'listen'))
    await writeFile(join(folder, 'listen', name), 'damaged')
    await expect(open()).rejects.toThrow('cannot be read')
    expect(await readdir(join(folder, 'listen'))).toEqual([name])
  })
})
