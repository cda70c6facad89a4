import { createHash } from 'node:crypto'

/** A Lua script of the server, with the SHA-1 under which the server keeps it. */
export interface Script {
  readonly text: string
  readonly sha1: string
}

/** Describes a script. The names of its keys are its first arguments. */
export function describeScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}
