/**
 * The files that pages load: the gateway's own style sheets and scripts, and Swagger UI from its package. An address
 * contains the hash of its content, so that browsers may cache it permanently.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256 } from '../kernel/crypto.ts'

/** The folder of the gateway's own files. */
const own = join(import.meta.dirname, 'assets')
const swaggerUi = join(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')), '..')

const files: Readonly<Record<string, readonly [folder: string, type: string]>> = {
  'site.css': [own, 'text/css; charset=utf-8'],
  'site.js': [own, 'text/javascript; charset=utf-8'],
  'runner.css': [own, 'text/css; charset=utf-8'],
  'runner.js': [own, 'text/javascript; charset=utf-8'],
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

/** Reads a file by its name, at most once; undefined if it does not exist. */
export function readAsset(name: string): Asset | undefined {
  const known = loaded.get(name)
  if (known) return known
  const [folder, type] = (Object.hasOwn(files, name) ? files[name] : undefined) ?? []
  if (folder === undefined || type === undefined) return undefined
  const bytes = readFileSync(join(folder, name))
  const made = { bytes, type, hash: sha256(bytes).toString('hex').slice(0, hashDigits) }
  loaded.set(name, made)
  return made
}

/** Builds the address of a file. Search indexes are generated from the pages, and their addresses contain no hash. */
export function buildAssetPath(name: string): string {
  const found = readAsset(name)
  return found ? `/assets/${found.hash}/${name}` : `/assets/${name}`
}
