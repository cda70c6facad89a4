import { errorTable, isErrorCode } from '../../contract/error-table.ts'
import { splitSections } from '../docs/markdown.ts'
import type { Page } from '../page.ts'
import { synonyms } from './synonyms.ts'

/** A section of a page, as the search finds it. The start of a page, before its first heading, is a section as well. */
export interface Section {
  /** The address: the path, with `#` and the id of the heading if there is one. */
  readonly href: string
  readonly path: string
  /** The title of the page. */
  readonly title: string
  /** The heading; empty for the start of a page. */
  readonly heading: string
  readonly text: string
  /** What readers type to get here: codes, paths, ids and synonyms. */
  readonly keys: string
}

/** Sections of generated pages that repeat what other pages are about: a search for a code finds the code's page. */
const repeatedInReference: ReadonlySet<string> = new Set(['errors', 'samples'])
const repeatedInErrors: ReadonlySet<string> = new Set(['where', 'related', 'answer'])

/** Lists the sections of a page. */
export function listSections(page: Page): Section[] {
  const { path, title } = page
  const repeated = page.operation
    ? repeatedInReference
    : page.section === 'errors'
      ? repeatedInErrors
      : undefined
  return splitSections(page.pieces)
    .filter(({ id }) => !repeated?.has(id))
    .map(({ id, heading, text }) => {
      const href = id === '' ? path : `${path}#${id}`
      const known = synonyms[href] ?? ''
      if (id !== '') return { href, path, title, heading, text, keys: known }
      return {
        href,
        path,
        title,
        heading,
        text: `${toText(page.summary)} ${text}`,
        keys: `${listOwnKeys(page)} ${known}`,
      }
    })
}

/** Lists the code, the path and the ids of a page itself, because those in its text belong to other pages. */
function listOwnKeys({ path, operation, trail }: Page): string {
  if (operation) {
    const { method, path: route } = operation
    return `${method} ${route} ${path.slice('/reference/'.length)} ${trail.at(-1)?.text ?? ''}`
  }
  const code = path.slice('/errors/'.length)
  return isErrorCode(code) ? `${code} ${errorTable[code].status}` : path
}

function toText(summary: string): string {
  return summary.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
