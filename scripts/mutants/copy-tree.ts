import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const maxListBytes = 64 * 1024 * 1024
/** The scope of the packages of this repository. */
const ownScope = '@trade-gateway'

/** Copies the files that git knows or would add. Packages of this repository are linked within the copy. */
export function copyTree(root: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: maxListBytes,
  })
  for (const file of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each))))
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  linkPackages(join(root, 'node_modules'), join(copy, 'node_modules'))
}

function linkPackages(from: string, to: string): void {
  mkdirSync(join(to, ownScope), { recursive: true })
  for (const name of readdirSync(join(from, ownScope)))
    symlinkSync(readlinkSync(join(from, ownScope, name)), join(to, ownScope, name))
  for (const name of readdirSync(from)) {
    // The names of caches begin with a dot. The copy has its own.
    const isCache = name.startsWith('.') && name !== '.bin'
    if (name !== ownScope && !isCache) symlinkSync(join(from, name), join(to, name))
  }
}
