/**
 * Lets V8's helper threads give way to the event loop. They collect garbage and compile while the loop runs. Where the
 * process has one processor, four of them and the loop would otherwise get a fifth of it each, and requests would wait.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'

/** The kernel's list of the threads of this process (proc_pid_task(5)). Other systems than Linux have none. */
const threads = '/proc/self/task'
/** Node's name for these threads, from Node 24 on. */
const helperName = 'V8Worker'
/** A third of the loop's share where both wait. No lower: other processes of the machine would starve a collection. */
export const helperNiceness = 5

/** Lowers the priority of the helper threads, which exist from the start of the process. */
export function lowerHelperThreads() {
  for (const thread of listThreads()) {
    try {
      // Linux takes the id of a thread for that of a process (setpriority(2)).
      if (readName(thread) === helperName) setPriority(Number(thread), helperNiceness)
    } catch {
      // The thread has ended, or the system does not allow it: it keeps its priority.
    }
  }
}

function listThreads(): string[] {
  try {
    return readdirSync(threads)
  } catch {
    return []
  }
}

function readName(thread: string): string {
  return readFileSync(join(threads, thread, 'comm'), 'utf8').trim()
}
