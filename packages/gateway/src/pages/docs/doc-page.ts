import { listSettings, type Setting } from '../../config.ts'
import type { Language } from '../../contract/language.ts'
import { isSettingName } from '../../contract/texts/settings/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import { buildDiagramPiece, isDiagramId } from '../diagrams/svg.ts'
import {
  formatSiteText,
  formatTable,
  type Link,
  type NavGroup,
  omitFromFullText,
  type Page,
  type Piece,
} from '../page.ts'
import { changelogFeedPath, readChangelogText } from './changelog.ts'
import { docsFolder, readSource } from './library.ts'
import { listHeadingIds } from './markdown.ts'
import { type ShownBlock, type ShownPage, toOriginalPage, translateBlocks } from './translation.ts'
import { type DocPath, docGroups, docPaths } from './tree.ts'

/** Builds a page of the documentation; undefined if its file does not exist. */
export function buildDocPage(path: DocPath, language: Language): Page | undefined {
  const content = findContent(path, language)
  if (!content) return undefined
  const written = docPaths.filter((each) => each === path || readTitle(each, language) !== undefined)
  const at = written.indexOf(path)
  const group = docGroups.find(({ pages }) => pages.some((each) => each === path))
  return {
    path: toDocPath(path),
    title: content.title,
    summary: content.summary,
    pieces: content.pieces,
    trail: [
      { text: formatSiteText(language, 'docs'), href: '/docs' },
      ...(group ? [{ text: formatSiteText(language, `group_${group.id}`), href: `/docs#${group.id}` }] : []),
    ],
    previous: toDocLink(written[at - 1], language),
    next: toDocLink(written[at + 1], language),
    side: buildDocNav(language),
    section: 'docs',
    isUntranslated: content.isUntranslated,
  }
}

/**
 * Builds `/docs`, which lists every page with its summary. The full text leaves the lists out: it has each page's title
 * and summary.
 */
export function buildDocsIndex(language: Language): Page {
  const pieces = docGroups.flatMap(({ id, pages }) => {
    const lines = pages.flatMap((path) => {
      const content = findContent(path, language)
      return content ? [`- [${content.title}](${toDocPath(path)}): ${content.summary}`] : []
    })
    return lines.length === 0
      ? []
      : [
          omitFromFullText({
            markdown: `## ${formatSiteText(language, `group_${id}`)}\n\n${lines.join('\n')}`,
            ids: [id],
          }),
        ]
  })
  return {
    path: '/docs',
    title: formatSiteText(language, 'docs_title'),
    summary: formatSiteText(language, 'docs_lead'),
    pieces,
    trail: [],
    side: buildDocNav(language),
    section: 'docs',
  }
}

/** Builds the navigation of the documentation. */
export function buildDocNav(language: Language): NavGroup[] {
  return docGroups.map(({ id, pages }) => ({
    title: formatSiteText(language, `group_${id}`),
    links: pages.flatMap((path) => toDocLink(path, language) ?? []),
  }))
}

function toDocLink(path: DocPath | undefined, language: Language): Link | undefined {
  const text = path && readTitle(path, language)
  return path === undefined || text === undefined ? undefined : { text, href: toDocPath(path) }
}

/**
 * Builds the path of a page. The changelog is at the top level, like other well-known addresses; all other pages are
 * below `/docs`.
 */
export function toDocPath(path: DocPath): string {
  return path === 'changelog' ? '/changelog' : `/docs/${path}`
}

interface Content {
  readonly title: string
  readonly summary: string
  readonly pieces: readonly Piece[]
  readonly isUntranslated: boolean
}

const contents = new Map<string, Content | undefined>()

function readTitle(path: DocPath, language: Language): string | undefined {
  return findContent(path, language)?.title
}

/** Returns the content of a page. Each file is read only once, because it does not change while the process runs. */
function findContent(path: DocPath, language: Language): Content | undefined {
  const key = `${language} ${path}`
  if (!contents.has(key)) contents.set(key, readContent(path, language))
  return contents.get(key)
}

function readContent(path: DocPath, language: Language): Content | undefined {
  const content = loadContent(path, language)
  if (!content || !notInFullText.has(path)) return content
  return { ...content, pieces: content.pieces.map(omitFromFullText) }
}

function loadContent(path: DocPath, language: Language): Content | undefined {
  if (path === 'configuration') return buildConfiguration(language)
  if (path === 'changelog') return readChangelog(language)
  const english = readSource(docsFolder, 'en', path)
  if (!english) return undefined
  const shown =
    language === 'en'
      ? toOriginalPage(english)
      : translateBlocks(english, readSource(docsFolder, language, path))
  const { title, summary, isUntranslated } = shown
  return { title, summary, pieces: toPieces(shown, language), isUntranslated }
}

/**
 * Pages of which `llms-full.txt`, the file for the language models of channels, has the title and summary only: long ones
 * for operators and for authors of connectors, and those whose parts other pages have as well: the tutorial and the
 * glossary.
 */
const notInFullText: ReadonlySet<DocPath> = new Set([
  'tutorial',
  'glossary',
  'promises',
  'operate',
  'backup',
  'runbooks',
  'monitor',
  'security',
  'deploy',
  'capacity',
  'console',
  'configuration',
  'erp/connect-an-erp',
  'erp/connect-an-erp-in-a-day',
  'erp/capabilities-of-erps',
])

/** Counts the pages of which `llms-full.txt` has the title and summary only. */
export function countSummarized(language: Language): number {
  return docPaths.filter((path) => findContent(path, language)?.pieces.every(({ brief }) => brief === ''))
    .length
}

/**
 * Joins neighbouring blocks that are all current or all stale, so that a list is rendered as one list. A block of code in
 * the language `diagram` names a diagram, which is a piece of its own.
 */
export function toPieces({ blocks, isUntranslated }: ShownPage, language: Language): Piece[] {
  const runs: ShownBlock[][] = []
  for (const block of blocks) {
    const run = runs.at(-1)
    const [last] = run ?? []
    const isSame = last?.isStale === block.isStale && !findDiagram(last) && !findDiagram(block)
    if (run && isSame) run.push(block)
    else runs.push([block])
  }
  return runs.map((run) => {
    const diagram = run[0] && findDiagram(run[0])
    if (diagram) return buildDiagramPiece(diagram, language)
    const text = (of: 'text' | 'english') => run.map((block) => block[of]).join('\n\n')
    const isStale = !isUntranslated && run[0]?.isStale === true
    return { markdown: text('text'), ids: listHeadingIds(text('english')), isStale }
  })
}

/** Returns the name of the diagram that a block stands for; undefined if it is something else. */
function findDiagram({ english }: ShownBlock) {
  const name = /^```diagram\n(\w+)\n```$/.exec(english)?.[1]
  if (name === undefined) return undefined
  if (!isDiagramId(name)) throw new Error(`There is no diagram "${name}".`)
  return name
}

function buildConfiguration(language: Language): Content {
  const { settings } = texts[language]
  const rows = listSettings().map((setting) => [
    `\`${setting.name}\``,
    setting.usual === undefined ? '' : `\`${setting.usual}\``,
    [isSettingName(setting.name) ? settings[setting.name] : '', describeBounds(setting, language)]
      .filter((text) => text !== '')
      .join('; '),
  ])
  const head = [
    formatSiteText(language, 'setting'),
    formatSiteText(language, 'config_default'),
    formatSiteText(language, 'meaning'),
  ]
  return {
    title: formatSiteText(language, 'config_title'),
    summary: formatSiteText(language, 'config_summary'),
    pieces: [{ markdown: formatSiteText(language, 'config_lead') }, { markdown: formatTable(head, rows) }],
    isUntranslated: false,
  }
}

function describeBounds({ least, most, words }: Setting, language: Language): string {
  if (words)
    return formatSiteText(language, 'one_of', { values: words.map((each) => `\`${each}\``).join(' ') })
  return least === undefined || most === undefined ? '' : formatSiteText(language, 'from_to', { least, most })
}

/** The changelog exists only in English. */
function readChangelog(language: Language): Content | undefined {
  const text = readChangelogText()
  if (text === undefined) return undefined
  const piece = { markdown: text, ids: listHeadingIds(text) }
  const feed = { markdown: `[${formatSiteText(language, 'changelog_feed')}](${changelogFeedPath})` }
  return {
    title: formatSiteText(language, 'changelog_title'),
    summary: formatSiteText(language, 'changelog_summary'),
    // The changelog is English in every language. `llms-full.txt` in other languages leaves it out.
    pieces: language === 'en' ? [feed, piece] : [feed, piece].map(omitFromFullText),
    isUntranslated: language !== 'en',
  }
}
