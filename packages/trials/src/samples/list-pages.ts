import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The English pages, whose samples are used in all languages. */
export const pagesFolder = fileURLToPath(import.meta.resolve('../../../../docs/en'))
const ending = '.md'

/** Lists all pages by path, such as `guides/wholesale-order`. */
export async function listPages(): Promise<string[]> {
  const entries = await readdir(pagesFolder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(pagesFolder, join(entry.parentPath, entry.name)).slice(0, -ending.length))
    .toSorted()
}

export function getPageFilePath(page: string): string {
  return join(pagesFolder, `${page}${ending}`)
}
