import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createBuiltInCatalogue, defaultStyles } from './catalogue/built-in.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { readCatalogueFile } from './catalogue/file.ts'

/** The source from which a new database gets its catalogue. `id` identifies it. */
export interface CatalogueSource {
  readonly id: string
  load(today: string): Promise<Catalogue>
}

/**
 * Returns the source of a catalogue: the built-in catalogue of a seed and size, or a file, which is identified by its
 * hash.
 */
export async function createCatalogueSource(
  file: string | undefined,
  seed: number,
  styles = defaultStyles,
): Promise<CatalogueSource> {
  if (file === undefined) {
    // The id omits the default size, so that databases created before sizes were configurable still match.
    const size = styles === defaultStyles ? '' : ` and ${styles} styles`
    return {
      id: `the built-in catalogue with seed ${seed}${size}`,
      load: async (today) => createBuiltInCatalogue({ seed, styles, today }),
    }
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  const id = `a catalogue file with SHA-256 ${hash.digest('hex').slice(0, 16)}`
  return { id, load: (today) => readCatalogueFile(file, { today }) }
}
