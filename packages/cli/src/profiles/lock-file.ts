/** Locks between the processes of one machine: files that have the number of the process that holds the lock. */

import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { CommandError, isSystemError } from '../failures.ts'

const maxLockAttempts = 3

/**
 * Takes a lock, also one that a process has left behind. If a running process has it, throws what `describeHolder` makes of
 * its number. Remove the file to give the lock back.
 */
export async function takeLock(path: string, describeHolder: (pid: number) => CommandError): Promise<void> {
  const own = `${path}.${randomUUID()}`
  await writeFile(own, String(process.pid), { flag: 'wx', mode: 0o600 })
  try {
    for (let attempt = 0; attempt < maxLockAttempts; attempt++) {
      if (await claim(own, path)) return
      const text = await readFile(path, 'utf8').catch(() => '')
      const holder = Number(text)
      if (isHeld(holder)) throw describeHolder(holder)
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
function isHeld(holder: number): boolean {
  return holder > 0 && holder !== process.pid && isRunning(holder)
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
