/**
 * Locks between the processes of one machine: files that have the number of the process that holds the lock, and when it
 * began. Another process may have the same number later, and would hold a left-over lock for ever.
 */

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, isSystemError } from '../failures.ts'

const maxLockAttempts = 3
const lockPollMs = 25
const maxLockWaitMs = 5_000

/**
 * Takes a lock, also one that a process has left behind. If a running process has it, throws a `CommandError` that says what
 * this process does, such as "forwards these events". Remove the file to give the lock back.
 */
export async function takeLock(path: string, activity: string): Promise<void> {
  const { isTaken, holder } = await tryLock(path)
  if (!isTaken) throw describeRefusal(path, activity, holder)
}

/** The last work under each lock of this process: the file of a lock cannot tell two works of one process apart. */
const lastWorks = new Map<string, Promise<unknown>>()

/**
 * Does a short work under a lock, and gives the lock back. Waits for other processes, and throws `CommandError` if they do
 * not give the lock back in time.
 */
export async function withLock<T>(path: string, activity: string, work: () => Promise<T>): Promise<T> {
  const workLocked = async () => {
    await waitForLock(path, activity)
    return work().finally(() => rm(path, { force: true }))
  }
  const before = lastWorks.get(path) ?? Promise.resolve()
  const working = before.then(workLocked, workLocked)
  lastWorks.set(path, working)
  return working
}

async function waitForLock(path: string, activity: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  for (let waitedMs = 0; ; waitedMs += lockPollMs) {
    const { isTaken, holder } = await tryLock(path)
    if (isTaken) return
    if (waitedMs >= maxLockWaitMs) throw describeRefusal(path, activity, holder)
    await sleep(lockPollMs)
  }
}

interface LockTry {
  readonly isTaken: boolean
  /** The number of the process that has the lock; undefined if the lock changed hands at each attempt. */
  readonly holder?: string | undefined
}

async function tryLock(path: string): Promise<LockTry> {
  const own = `${path}.${randomUUID()}`
  const text = `${process.pid} ${await readStart(process.pid)}`
  await writeFile(own, text, { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
      if (await claim(own, path)) return { isTaken: true }
      const found = await readHolder(path)
      if (found === undefined) continue
      const [pid, start] = found.split(' ')
      if (await isHeld(Number(pid), start)) return { isTaken: false, holder: pid }
      await removeLeftOver(path, found)
    }
  } finally {
    await rm(own, { force: true })
  }
  return { isTaken: false }
}

function describeRefusal(path: string, activity: string, holder: string | undefined): CommandError {
  if (holder === undefined) return new CommandError(`${path} cannot be taken.`)
  return new CommandError(`Process ${holder} ${activity} already.`, {
    hint: `Wait for its end, or end it. If it is not tgw, the lock is left over: remove the file ${path}`,
  })
}

/** Reads who has a lock; undefined if it was given back meanwhile. */
async function readHolder(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    return isSystemError(error, 'ENOENT') ? undefined : ''
  }
}

/**
 * Gives a written file the name of the lock, so that nobody ever reads an empty one. False if the name is taken. exFAT and
 * some network drives have no hard links: there, the file is written again, and is empty for a moment.
 */
export async function claim(file: string, path: string, give = link): Promise<boolean> {
  const text = await readFile(file)
  try {
    await give(file, path).catch((error: unknown) => {
      if (!isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP')) throw error
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    })
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

/** In a container that was killed and started again, the former holder had the same number as this process. */
async function isHeld(pid: number, start: string | undefined): Promise<boolean> {
  if (!(pid > 0) || pid === process.pid || !isRunning(pid)) return false
  // Locks of earlier versions do not say when their process began.
  return start === undefined || start === (await readStart(pid))
}

/** Reads when a process began, in ticks since the boot; empty where the system has no such file. */
async function readStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field, the name of the program, is in brackets and may have spaces. The start is the 22nd (proc(5)).
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

/** Removes a lock, unless another process has replaced it since it was read: that one is put back. */
async function removeLeftOver(path: string, text: string): Promise<void> {
  // Another process that came to the same end may have the lock by now. A lock that is put back is free for a moment.
  if ((await readHolder(path)) !== text) return
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return
    throw error
  }
  if ((await readFile(aside, 'utf8')) !== text) await claim(aside, path)
  await rm(aside, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process cannot be signalled, and runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
