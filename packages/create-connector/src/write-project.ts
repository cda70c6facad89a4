import { copyFile, cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const templates = ['typescript', 'python'] as const
export type Template = (typeof templates)[number]

/** The error for a directory that cannot take the project. Its message says why, and what to do. */
export class CannotWrite extends Error {}

/** What to write, and where. */
export interface Project {
  /** Created if it does not exist. It must be empty. */
  readonly directory: string
  readonly template: Template
  /** A tarball of `@trade-gateway/connector`. The project keeps a copy of it and installs that. */
  readonly connectorTarball?: string | undefined
}

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const connectorDocument = 'connector-openapi.json'
/** Where the description of the protocol is: in the published package, and in a checkout of the gateway. */
const documentFolders = [packageFolder, join(packageFolder, '../../contract')]
/** npm drops `.gitignore` and `.npmrc` when it packs, so in a template an underscore stands for the dot. */
const hidden = /^_(?=[a-z])/
/** What tests and editors leave behind in a template of a checkout. */
const leftovers = ['__pycache__', 'node_modules']

export function isTemplate(name: string): name is Template {
  return templates.some((template) => template === name)
}

/**
 * Writes the project of a connector into an empty or new directory. Throws `CannotWrite` if the directory has anything
 * in it or cannot be written, or if there is no such tarball.
 */
export async function writeProject({ directory, template, connectorTarball }: Project): Promise<void> {
  // Before anything is written: a project that is half there would be in the way of the next try.
  if (connectorTarball !== undefined) await requireTarball(connectorTarball)
  try {
    await requireEmpty(directory)
    await cp(join(packageFolder, 'templates', template), directory, {
      recursive: true,
      filter: (source) => !leftovers.includes(basename(source)),
    })
    for (const file of await readdir(directory))
      if (hidden.test(file)) await rename(join(directory, file), join(directory, file.replace(hidden, '.')))
    if (template === 'typescript') await nameConnector(directory, connectorTarball)
    else await copyDocument(join(directory, 'connector', connectorDocument))
  } catch (cause) {
    if (!isSystemError(cause)) throw cause
    throw new CannotWrite(`${directory} cannot be written: ${cause.message}.`, { cause })
  }
}

async function requireTarball(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new CannotWrite(`The tarball ${path} is no file that can be read.`)
}

async function requireEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  const [found] = await readdir(directory)
  if (found === undefined) return
  throw new CannotWrite(`${directory} is not empty: it has ${found}. Name a new or an empty directory.`)
}

/** Writes which connector package the project installs: the version of this package, or the given tarball. */
async function nameConnector(directory: string, tarball: string | undefined): Promise<void> {
  const manifest = join(directory, 'package.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace('{{connector}}', await keepConnector(directory, tarball)))
}

/** Returns the version of the connector for package.json. All packages of the gateway share one version. */
async function keepConnector(directory: string, tarball: string | undefined): Promise<string> {
  if (tarball !== undefined) {
    const kept = `vendor/${basename(tarball)}`
    await mkdir(join(directory, 'vendor'))
    await copyFile(tarball, join(directory, kept))
    return `file:${kept}`
  }
  const own: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  if (typeof own === 'object' && own !== null && 'version' in own) return String(own.version)
  throw new Error('The package.json of create-trade-gateway-connector names no version.')
}

async function copyDocument(target: string): Promise<void> {
  for (const folder of documentFolders) {
    try {
      return await copyFile(join(folder, connectorDocument), target)
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'ENOENT') throw error
    }
  }
  throw new CannotWrite(
    `The description of the protocol, ${connectorDocument}, is in none of ${documentFolders.join(', ')}.`,
  )
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
