/** The processes below a process, from Linux's /proc: a killed supervisor does not take its processes with it. */
import { readFileSync } from 'node:fs'

/** Lists the ids of the child processes of a process; none if it has ended. */
export function listChildren(parent: number): number[] {
  try {
    const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return []
    throw error
  }
}

/** Sends a signal to a process; 0 sends none. Returns false if the process has ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and negative ids are process groups, among them the caller's own.
  if (pid <= 0) return false
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/** Stops a process and its children with SIGSTOP, the process first, so that it starts no more children. */
export function freezeTree(pid: number): number[] {
  signalProcess(pid, 'SIGSTOP')
  const children = listChildren(pid)
  for (const child of children) signalProcess(child, 'SIGSTOP')
  return children
}

/** Continues a process and its children. */
export function thawTree(pid: number): void {
  for (const child of listChildren(pid)) signalProcess(child, 'SIGCONT')
  signalProcess(pid, 'SIGCONT')
}

/** Kills a process and its children with SIGKILL. */
export function killTree(pid: number): void {
  for (const child of freezeTree(pid)) signalProcess(child, 'SIGKILL')
  signalProcess(pid, 'SIGKILL')
}
