import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../environment.ts'

/** Where the command keeps its files (XDG Base Directory Specification). */
export interface Paths {
  /** Profiles and, without a keychain, their secrets. */
  readonly config: string
  /** Tokens, and how far a stream of events was read. */
  readonly state: string
}

export function findPaths(env: Environment): Paths {
  const home = env.HOME || homedir()
  return {
    config: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'tgw'),
    state: join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'tgw'),
  }
}
