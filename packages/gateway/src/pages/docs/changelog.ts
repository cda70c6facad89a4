/**
 * The changelog: the versions of the packages from CHANGELOG.md, then the versions of the API, whose dates are in the
 * table of `docs/en/versioning.md` and whose endpoints are in the catalogue. Versions with a date are also an Atom feed
 * (RFC 4287).
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../../catalogue.ts'
import { html } from '../html.ts'
import { docsFolder, readSource } from './library.ts'
import { Rendering, renderMarkdown, toSlug } from './markdown.ts'

export const changelogFeedPath = '/changelog.atom'

interface Version {
  readonly title: string
  /** `YYYY-MM-DD`; undefined for what is not released yet. */
  readonly date: string | undefined
  readonly text: string
}

const changelogFile = join(import.meta.dirname, '../../../../../CHANGELOG.md')

/** Returns the changelog as Markdown, a heading for each version; undefined if there is no changelog. */
export function readChangelogText(): string | undefined {
  if (!existsSync(changelogFile)) return undefined
  const [introduction = ''] = readFileSync(changelogFile, 'utf8')
    .replace(/^# .*\n+/, '')
    .split(/^## /m)
  const versions = listVersions().map(({ title, date, text }) => {
    const heading = date === undefined ? title : `${title} - ${date}`
    return `## ${heading}\n\n${text}`
  })
  return [introduction.trim(), ...versions].join('\n\n')
}

/** Lists the versions of the packages and of the API, each newest first. */
function listVersions(): Version[] {
  return [...listPackageVersions(), ...listApiVersions()]
}

function listPackageVersions(): Version[] {
  if (!existsSync(changelogFile)) return []
  const [, ...parts] = readFileSync(changelogFile, 'utf8').split(/^## /m)
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const [, title = heading, date] = /^(.*?)(?: - (\d{4}-\d{2}-\d{2}))?$/.exec(heading.trim()) ?? []
    return { title, date, text: lines.join('\n').trim() }
  })
}

/** Lists the versions of the API from the rows `| 1.0.0 | 2026-09-03 | addition |` of the page about versions. */
function listApiVersions(): Version[] {
  const blocks = readSource(docsFolder, 'en', 'versioning')?.blocks ?? []
  const rows = blocks.join('\n').matchAll(/^\| (\d+\.\d+\.\d+) \| (\d{4}-\d{2}-\d{2}) \| (.+?) \|$/gm)
  return [...rows]
    .map(([, version = '', date, addition = '']) => {
      const added = catalogue
        .filter(({ since }) => since === version)
        .map(({ id, method, path }) => `- [\`${method} ${path}\`](/reference/${id})`)
      const text = [`${addition.charAt(0).toUpperCase()}${addition.slice(1)}.`, added.join('\n')]
      return { title: `API ${version}`, date, text: text.filter((part) => part !== '').join('\n\n') }
    })
    .toReversed()
}

/** Builds the Atom feed of the versions that have a date, newest first. `base` is the address of the gateway. */
export function buildChangelogFeed(base: string): string {
  const versions = listVersions()
    .flatMap(({ title, date, text }) => (date === undefined ? [] : [{ title, date, text }]))
    .toSorted((one, other) => (one.date < other.date ? 1 : one.date > other.date ? -1 : 0))
  const page = `${base}/changelog`
  const entries = versions.map(({ title, date, text }) => {
    const address = `${page}#${toSlug(`${title} - ${date}`)}`
    return html`<entry>
<id>${address}</id>
<title>${title}</title>
<link href="${address}"/>
<updated>${date}T00:00:00Z</updated>
<content type="html">${String(renderMarkdown(text.replaceAll('](/', `](${base}/`), new Rendering('', plainWords)))}</content>
</entry>
`
  })
  return String(html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>Trade Gateway</title>
<author><name>Trade Gateway</name></author>
<link href="${page}"/>
<link rel="self" href="${base}${changelogFeedPath}"/>
<updated>${versions[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
${entries}</feed>
`)
}

const plainWords = { output: 'Output', table: 'Table', link: 'Link' }
