import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { builtInCatalogue } from './catalogue/built-in.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { catalogueFromFile } from './catalogue/file.ts'

/** Where the goods of a new database come from, with a name that tells one source from another. */
export interface CatalogueSource {
  readonly id: string
  load(today: string): Promise<Catalogue>
}

/** The built-in catalogue of a seed, or a file of one's own, named by the hash of its bytes. */
export async function catalogueSource(file: string | undefined, seed: number): Promise<CatalogueSource> {
  if (file === undefined) {
    return {
      id: `the built-in catalogue with seed ${seed}`,
      load: async (today) => builtInCatalogue({ seed, today }),
    }
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  const id = `a catalogue file with SHA-256 ${hash.digest('hex').slice(0, 16)}`
  return { id, load: (today) => catalogueFromFile(file, { today }) }
}
