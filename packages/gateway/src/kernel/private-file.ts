import { chmodSync, renameSync, writeFileSync } from 'node:fs'

/** Writes a file atomically so that only its owner can read it. */
export function writePrivately(path: string, text: string) {
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}
