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
 * not there is installed as published. Throws `CannotWrite`, also if the folder has none of them.
 */
export async function writeProject(directory: string, packages: string | undefined): Promise<void> {
  // Before anything is written: a project that is half there would be in the way of the next try.
  const tarballs = packages === undefined ? [] : await findTarballs(packages)
  try {
    await requireEmpty(directory)
    await cp(template, directory, {
      recursive: true,
      filter: (source) => basename(source) !== 'node_modules',
    })
    const [from, to] = renamed
    await rename(join(directory, from), join(directory, to))
    await nameVersions(directory, tarballs)
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

/** Finds the paths of the tarballs in a folder. */
async function findTarballs(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch((cause: Error) => {
    throw new CannotWrite(`The folder of the packages cannot be read: ${cause.message}.`, { cause })
  })
  const patterns = Object.values(installed)
  const tarballs = files.filter((file) => patterns.some((pattern) => pattern.test(file)))
  if (tarballs.length > 0) return tarballs.map((file) => join(folder, file))
  throw new CannotWrite(`${folder} has no tarball of a package, such as trade-gateway-sdk-0.1.0.tgz.`)
}

/** Writes which packages the project installs: the given tarballs, and else those of the same version. */
async function nameVersions(directory: string, tarballs: readonly string[]): Promise<void> {
  const manifest = join(directory, 'package.json')
  const version = await readOwnVersion()
  let text = await readFile(manifest, 'utf8')
  for (const [name, pattern] of Object.entries(installed)) {
    const tarball = tarballs.find((path) => pattern.test(basename(path)))
    if (tarball !== undefined) {
      await mkdir(join(directory, 'vendor'), { recursive: true })
      await copyFile(tarball, join(directory, 'vendor', basename(tarball)))
    }
    text = text.replace(`{{${name}}}`, tarball === undefined ? version : `file:vendor/${basename(tarball)}`)
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
