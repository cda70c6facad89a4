/**
 * The release before this one: its gateway's sources and databases that it filled, in files beside this one. `make.ts`
 * makes them again at each release. The sources run with the packages that are installed here, because only the
 * gateway itself shares a database with its successor.
 */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { readJson, sendRequest } from '../faults/processes.ts'
import type { LooseJson } from '../harness.ts'

export const root = join(import.meta.dirname, '../../../..')

/** The files of the fixture. */
export const releaseFiles = {
  sources: join(import.meta.dirname, 'sources.json.br'),
  sqlite: join(import.meta.dirname, 'gateway.db.br'),
  postgres: join(import.meta.dirname, 'gateway.sql.gz'),
} as const

/** The settings with which the release filled the databases, and the catalogue of its ERP. */
export const releaseSettings = {
  SECRETS_KEY: 'the-same-key-in-every-process-0123456789',
  ADMIN_TOKEN: 'an-admin-token-for-tests-only-0123456789',
} as const
export const releaseStyles = 20
const minQuantity = 40
export const releaseChannel = 'release-before'

const sources = z.object({ commit: z.string(), files: z.record(z.string(), z.string()) })
export type Sources = z.infer<typeof sources>

/** What the gateway reads from the checkout besides its own files. */
const shared = ['node_modules', 'docs', 'contract', 'released', 'package.json', 'packages/console']

/** Unpacks the release into a folder, and returns the file that starts its gateway. */
export function unpackRelease(folder: string): string {
  const { files } = sources.parse(
    JSON.parse(brotliDecompressSync(readFileSync(releaseFiles.sources)).toString()),
  )
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const path of shared) symlinkSync(join(root, path), join(folder, path))
  return join(folder, 'packages/gateway/src/main.ts')
}

/** Writes the embedded database of the release into a data directory. */
export function placeReleaseDatabase(dataDir: string): void {
  writeFileSync(join(dataDir, 'gateway.db'), brotliDecompressSync(readFileSync(releaseFiles.sqlite)))
}

/** Finds a SKU of which there is enough and which the buyer may order. */
export async function findGoods(url: string, token: string): Promise<string> {
  const { data } = await readJson(sendRequest(url, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token }))
  const plenty = data.filter(
    (row: LooseJson) => row.quantity_available > minQuantity && !row.sku.startsWith('SBX-'),
  )
  for (const { sku } of plenty) {
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    if ((await sendRequest(url, 'POST', '/api/v1/orders', { token, body })).status === 201) return sku
  }
  throw new Error('There are no goods.')
}
