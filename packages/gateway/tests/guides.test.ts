/** Checks the English guides, without running their code samples. `npm run samples` runs these. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../src/catalogue.ts'
import { errorCodes, isErrorCode } from '../src/contract/error-table.ts'
import { reasons } from '../src/contract/errors.ts'
import { apiVersion } from '../src/contract/version.ts'
import { replacements } from '../src/pipeline/legacy.ts'

const folder = join(import.meta.dirname, '../../../docs/en')
/** Pages that are generated and have no Markdown file of their own. */
const generated = ['configuration', 'changelog']
const maxLines = 300
/** The maximum number of samples that no test runs, because they need a clone, an ERP or the reader's own client. */
const maxUntriedSamples = 5
const maxTitle = 60
const maxSummary = 160

const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({
    path: file.slice(0, -'.md'.length),
    text: readFileSync(join(folder, file), 'utf8'),
  }))
const endpoints = [...catalogue, ...adminCatalogue, ...sandboxCatalogue]
const removeCode = (text: string) => text.replaceAll(/^```.*$[\s\S]*?^```$/gm, '')
const listLinks = (text: string) =>
  [...removeCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
const listFences = (text: string) =>
  [...text.matchAll(/^```(.*)$[\s\S]*?^```$/gm)].map(([, info = '']) => info)

describe.each(pages)('docs/en/$path.md', ({ path, text }) => {
  it('has a title and a summary of one line each, and is short', () => {
    const [, title = '', summary = ''] = /^---\ntitle: (.+)\nsummary: (.+)\n---\n\n/.exec(text) ?? []
    expect(title.length, path).toBeGreaterThan(0)
    expect(title.length).toBeLessThanOrEqual(maxTitle)
    expect(summary.length).toBeGreaterThan(0)
    expect(summary.length).toBeLessThanOrEqual(maxSummary)
    expect(text.split('\n').length).toBeLessThanOrEqual(maxLines)
  })

  it('links to pages, endpoints and error codes that exist', () => {
    const broken = listLinks(text).filter((link) => {
      const [, kind = '', rest = ''] = /^\/(docs|reference|errors)\/(.+)$/.exec(link) ?? []
      if (kind === 'docs') return !generated.includes(rest) && !existsSync(join(folder, `${rest}.md`))
      if (kind === 'reference') return !endpoints.some(({ id }) => id === rest)
      if (kind === 'errors') return !isErrorCode(rest)
      return link !== '/reference' && !link.startsWith('https://')
    })
    expect(broken).toEqual([])
  })

  it('names codes and reasons that exist, and links each code to its own page', () => {
    const linked = [...text.matchAll(/\[`([A-Z_]+)`\]\(\/errors\/([A-Z_]+)\)/g)]
    expect(linked.filter(([, name, page]) => name !== page).map(([link]) => link)).toEqual([])
    const named = [...removeCode(text).matchAll(/reason: "([a-z_]+)"/g)].map(([, reason]) => reason)
    expect(named.filter((reason) => !reasons.some((known) => known === reason))).toEqual([])
  })

  it('has no raw HTML, no exclamation mark and no code block of an unknown kind', () => {
    const words = removeCode(text).replaceAll(/`[^`\n]*`/g, '')
    expect(words).not.toMatch(/<\/?[a-zA-Z]/)
    expect(words).not.toContain('!')
    const kinds = /^(?:sh|ts)(?: run)?$|^(?:json|text)(?: output)?$|^diagram$/
    expect(listFences(text).filter((info) => !kinds.test(info))).toEqual([])
  })
})

describe('the guides together', () => {
  const all = pages.map(({ text }) => text).join('\n')

  it('leave at most five samples of code untried', () => {
    const untried = listFences(all).filter((info) => info === 'sh' || info === 'ts')
    expect(untried.length).toBeLessThanOrEqual(maxUntriedSamples)
  })

  it('tell how to see every error code in the sandbox', () => {
    const sandbox = pages.find(({ path }) => path === 'sandbox')?.text ?? ''
    const told = [...sandbox.matchAll(/^\| \[`([A-Z_]+)`\]/gm)].map(([, code]) => code)
    expect(told.toSorted()).toEqual(errorCodes.toSorted())
  })

  it('list every legacy path with the replacement that the gateway names', () => {
    const migrate = pages.find(({ path }) => path === 'guides/migrate-from-api')?.text ?? ''
    const rows = [...migrate.matchAll(/^\| `(\/api\/[^`]+)` \| \[?`([A-Z]+) ([^`]+)`/gm)]
    const listed = Object.fromEntries(rows.map(([, old = '', method, path]) => [old, [method, path]]))
    expect(listed).toEqual(replacements)
  })

  it('end the table of versions with the present one', () => {
    const versioning = pages.find(({ path }) => path === 'versioning')?.text ?? ''
    const versions = [...versioning.matchAll(/^\| (\d+\.\d+\.\d+) \|/gm)].map(([, version]) => version)
    expect(versions.at(-1)).toBe(apiVersion)
  })

  it('have three languages for each of at least 60 words of the glossary', () => {
    const glossary = pages.find(({ path }) => path === 'glossary')?.text ?? ''
    const rows = [...glossary.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)]
      .map(([, ...cells]) => cells)
      .filter(([english]) => english !== 'English' && english !== '---')
    expect(rows.length).toBeGreaterThanOrEqual(60)
    expect(rows.filter((cells) => cells.some((cell) => cell.trim() === ''))).toEqual([])
    const words = rows.map(([english]) => english)
    expect(new Set(words).size).toBe(words.length)
  })
})
