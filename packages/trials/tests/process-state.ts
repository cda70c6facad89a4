import { readFileSync } from 'node:fs'
import { listChildren } from '../src/process-tree.ts'

/** Returns the state of a process in Linux's letters, such as T for stopped; undefined if it has ended. */
export function readProcessState(pid: number): string | undefined {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Lists the children of a process, their children, and so on. */
export function listDescendants(pid: number): number[] {
  return listChildren(pid).flatMap((child) => [child, ...listDescendants(child)])
}
