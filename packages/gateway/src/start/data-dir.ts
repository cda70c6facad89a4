import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '../config.ts'

/** The name of the embedded database in the data directory. */
export const databaseFile = 'gateway.db'

/** Creates the data directory, readable only by its owner. Throws `ConfigError` if that is not possible there. */
export function makeDataDir(path: string) {
  try {
    makeDirectory(path)
  } catch (error) {
    const code = readCode(error)
    if (code === 'ENOSPC' || code === 'EDQUOT') throw error
    throw new ConfigError([`DATA_DIR names a directory that cannot be created (${code}): "${path}".`])
  }
}

/**
 * Throws `ConfigError` if this user cannot read and write the data directory, or a file in it that exists. SQLite would
 * not say which file it cannot open, nor why.
 */
export function requireAccess(path: string) {
  const { R_OK, W_OK, X_OK } = constants
  try {
    accessSync(path, isDirectory(path) ? R_OK | W_OK | X_OK : R_OK | W_OK)
  } catch (error) {
    const code = readCode(error)
    if (code === 'ENOENT') return
    const user = process.getuid ? `user ${process.getuid()}` : 'this user'
    throw new ConfigError([
      `DATA_DIR: ${user} cannot read and write ${path} (${code}). Give it to this user, or set another DATA_DIR.`,
    ])
  }
}

/**
 * Creates a directory and those above it that are missing. Node's own `recursive` never returns below /proc, where the
 * parent exists and mkdir nevertheless says ENOENT.
 */
function makeDirectory(path: string) {
  if (isDirectory(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it just now.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function readCode(error: unknown): string {
  const { code }: { code?: unknown } = Object(error)
  return String(code)
}
