import { copyFile, cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The error for a directory that cannot take the project. Its message says why, and what to do. */
export class CannotWrite extends Error {}

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const template = join(packageFolder, 'templates/typescript')
/** npm drops or renames a file `.gitignore` when it packs, so the template has it under another name. */
const renamed = ['_gitignore', '.gitignore'] as const
/** The packages that the project installs, by their names in its manifest, with their tarballs. */
const installed = {
  sdk: /^trade-gateway-sdk-\d.*\.tgz$/,
  cli: /^trade-gateway-cli-\d.*\.tgz$/,
  gateway: /^trade-gateway-\d.*\.tgz$/,
} as const

/**
 * Writes the project of a channel into an empty or new directory. The tarballs of `packages` are copied into it; what is
 * not there is installed as published. Throws `CannotWrite`.
 */
export async function writeProject(directory: string, packages: string | undefined): Promise<void> {
  try {
    await requireEmpty(directory)
    await cp(template, directory, {
      recursive: true,
      filter: (source) => basename(source) !== 'node_modules',
    })
    const [from, to] = renamed
    await rename(join(directory, from), join(directory, to))
    await nameVersions(directory, packages)
  } catch (cause) {
    if (!isSystemError(cause)) throw cause
    throw new CannotWrite(`${directory} cannot be written: ${cause.message}.`, { cause })
  }
}

async function requireEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  const [found] = await readdir(directory)
  if (found === undefined) return
  throw new CannotWrite(`${directory} is not empty: it has ${found}. Name a new or an empty directory.`)
}

/** Writes which packages the project installs: those of the same version, or the given tarballs. */
async function nameVersions(directory: string, packages: string | undefined): Promise<void> {
  const manifest = join(directory, 'package.json')
  const version = await readOwnVersion()
  const files = packages === undefined ? [] : await readdir(packages)
  let text = await readFile(manifest, 'utf8')
  for (const [name, pattern] of Object.entries(installed)) {
    const tarball = files.find((file) => pattern.test(file))
    if (tarball !== undefined && packages !== undefined) {
      await mkdir(join(directory, 'vendor'), { recursive: true })
      await copyFile(join(packages, tarball), join(directory, 'vendor', tarball))
    }
    text = text.replace(`{{${name}}}`, tarball === undefined ? version : `file:vendor/${tarball}`)
  }
  await writeFile(manifest, text)
}

/** All packages of the gateway share one version. */
async function readOwnVersion(): Promise<string> {
  const own: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  if (typeof own === 'object' && own !== null && 'version' in own) return String(own.version)
  throw new Error('The package.json of create-trade-gateway-channel names no version.')
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
