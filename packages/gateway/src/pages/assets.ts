import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256 } from '../kernel/crypto.ts'

/**
 * Everything that a page loads, from this process: our own style sheet and scripts, and Swagger UI out of its package.
 * An address holds the hash of what is behind it, so that a browser keeps it for good.
 */
const own = join(import.meta.dirname, 'assets')
const swaggerUi = join(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')), '..')

const files: Readonly<Record<string, readonly [folder: string, type: string]>> = {
  'site.css': [own, 'text/css; charset=utf-8'],
  'site.js': [own, 'text/javascript; charset=utf-8'],
  'theme.js': [own, 'text/javascript; charset=utf-8'],
  'mark.svg': [own, 'image/svg+xml'],
  'swagger.css': [own, 'text/css; charset=utf-8'],
  'swagger.js': [own, 'text/javascript; charset=utf-8'],
  'swagger-ui.css': [swaggerUi, 'text/css; charset=utf-8'],
  'swagger-ui-bundle.js': [swaggerUi, 'text/javascript; charset=utf-8'],
}

export interface Asset {
  readonly bytes: Buffer
  readonly type: string
  readonly hash: string
}

const loaded = new Map<string, Asset>()
const hashDigits = 12

/** A file by its name; undefined where there is none. Read once. */
export function asset(name: string): Asset | undefined {
  const known = loaded.get(name)
  if (known) return known
  const [folder, type] = (Object.hasOwn(files, name) ? files[name] : undefined) ?? []
  if (folder === undefined || type === undefined) return undefined
  const bytes = readFileSync(join(folder, name))
  const made = { bytes, type, hash: sha256(bytes).toString('hex').slice(0, hashDigits) }
  loaded.set(name, made)
  return made
}

/** Where a page finds a file; indexes of the search are made of the pages and carry no hash. */
export function assetPath(name: string): string {
  const found = asset(name)
  return found ? `/assets/${found.hash}/${name}` : `/assets/${name}`
}
