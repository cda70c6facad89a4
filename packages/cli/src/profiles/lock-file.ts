/**
 * Locks between the processes of one machine: files that have the number of the process that holds the lock, and when it
 * began. Another process may have the same number later, and would hold a left-over lock for ever.
 */

import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { CommandError, isSystemError } from '../failures.ts'

const maxLockAttempts = 3

/**
 * Takes a lock, also one that a process has left behind. If a running process has it, throws a `CommandError` that says what
 * this process does, such as "forwards these events". Remove the file to give the lock back.
 */
export async function takeLock(path: string, activity: string): Promise<void> {
  const own = `${path}.${randomUUID()}`
  const text = `${process.pid} ${await readStart(process.pid)}`
  await writeFile(own, text, { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
      if (await claim(own, path)) return
      const text = await readFile(path, 'utf8').catch(() => '')
      const [pid, start] = text.split(' ')
      if (await isHeld(Number(pid), start))
        throw new CommandError(`Process ${pid} ${activity} already.`, {
          hint: `Wait for its end, or end it. If it is not tgw, the lock is left over: remove the file ${path}`,
        })
      await removeLeftOver(path, text)
    }
  } finally {
    await rm(own, { force: true })
  }
  throw new CommandError(`${path} cannot be taken.`)
}

/** Gives a written file the name of the lock, so that nobody ever reads an empty one. False if the name is taken. */
async function claim(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path)
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
