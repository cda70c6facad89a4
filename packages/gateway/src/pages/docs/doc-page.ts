import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredSettings, type Setting } from '../../config.ts'
import type { Language } from '../../contract/language.ts'
import { isSettingName } from '../../contract/texts/settings/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import { type Link, type NavGroup, type Page, type Piece, table, word } from '../page.ts'
import { docsFolder, readSource } from './library.ts'
import { headingIds } from './markdown.ts'
import { original, type ShownBlock, type ShownPage, translated } from './translation.ts'
import { type DocPath, docGroups, docPaths } from './tree.ts'

/** A page of the documentation; undefined where nobody has written it. */
export function docPage(path: DocPath, language: Language): Page | undefined {
  const content = contentOf(path, language)
  if (!content) return undefined
  const written = docPaths.filter((each) => each === path || titleOf(each, language) !== undefined)
  const at = written.indexOf(path)
  const group = docGroups.find(({ pages }) => pages.some((each) => each === path))
  return {
    path: docHref(path),
    title: content.title,
    summary: content.summary,
    pieces: content.pieces,
    trail: [
      { text: word(language, 'docs'), href: '/docs' },
      ...(group ? [{ text: word(language, `group_${group.id}`), href: `/docs#${group.id}` }] : []),
    ],
    previous: linkTo(written[at - 1], language),
    next: linkTo(written[at + 1], language),
    side: docNav(language),
    section: 'docs',
    isUntranslated: content.isUntranslated,
  }
}

/** `/docs`: every page with its summary. */
export function docsIndex(language: Language): Page {
  const pieces = docGroups.flatMap(({ id, pages }) => {
    const lines = pages.flatMap((path) => {
      const content = contentOf(path, language)
      return content ? [`- [${content.title}](${docHref(path)}): ${content.summary}`] : []
    })
    return lines.length === 0
      ? []
      : [{ markdown: `## ${word(language, `group_${id}`)}\n\n${lines.join('\n')}`, ids: [id] }]
  })
  return {
    path: '/docs',
    title: word(language, 'docs_title'),
    summary: word(language, 'docs_lead'),
    pieces,
    trail: [],
    side: docNav(language),
    section: 'docs',
  }
}

/** The navigation of the documentation. */
export function docNav(language: Language): NavGroup[] {
  return docGroups.map(({ id, pages }) => ({
    title: word(language, `group_${id}`),
    links: pages.flatMap((path) => linkTo(path, language) ?? []),
  }))
}

function linkTo(path: DocPath | undefined, language: Language): Link | undefined {
  const text = path && titleOf(path, language)
  return path === undefined || text === undefined ? undefined : { text, href: docHref(path) }
}

/** The changelog stands at the top, as well-known addresses do; everything else of the tree is below `/docs`. */
export function docHref(path: DocPath): string {
  return path === 'changelog' ? '/changelog' : `/docs/${path}`
}

interface Content {
  readonly title: string
  readonly summary: string
  readonly pieces: readonly Piece[]
  readonly isUntranslated: boolean
}

const contents = new Map<string, Content | undefined>()

function titleOf(path: DocPath, language: Language): string | undefined {
  return contentOf(path, language)?.title
}

/** What a page holds. Files are read once: they are part of the release. */
function contentOf(path: DocPath, language: Language): Content | undefined {
  const key = `${language} ${path}`
  if (!contents.has(key)) contents.set(key, readContent(path, language))
  return contents.get(key)
}

function readContent(path: DocPath, language: Language): Content | undefined {
  if (path === 'configuration') return configuration(language)
  if (path === 'changelog') return changelog(language)
  const english = readSource(docsFolder, 'en', path)
  if (!english) return undefined
  const shown =
    language === 'en' ? original(english) : translated(english, readSource(docsFolder, language, path))
  const { title, summary, isUntranslated } = shown
  return { title, summary, pieces: piecesOf(shown), isUntranslated }
}

/** Neighbouring blocks that are both up to date, or both not, are rendered together: a list is one list. */
export function piecesOf({ blocks, isUntranslated }: ShownPage): Piece[] {
  const runs: ShownBlock[][] = []
  for (const block of blocks) {
    const run = runs.at(-1)
    if (run && run[0]?.isStale === block.isStale) run.push(block)
    else runs.push([block])
  }
  return runs.map((run) => {
    const text = (of: 'text' | 'english') => run.map((block) => block[of]).join('\n\n')
    const isStale = !isUntranslated && run[0]?.isStale === true
    return { markdown: text('text'), ids: headingIds(text('english')), isStale }
  })
}

function configuration(language: Language): Content {
  const { settings } = texts[language]
  const rows = declaredSettings().map((setting) => [
    `\`${setting.name}\``,
    setting.usual === undefined ? '' : `\`${setting.usual}\``,
    [isSettingName(setting.name) ? settings[setting.name] : '', boundsOf(setting, language)]
      .filter((text) => text !== '')
      .join('; '),
  ])
  const head = [word(language, 'setting'), word(language, 'config_default'), word(language, 'meaning')]
  return {
    title: word(language, 'config_title'),
    summary: word(language, 'config_summary'),
    pieces: [{ markdown: word(language, 'config_lead') }, { markdown: table(head, rows) }],
    isUntranslated: false,
  }
}

function boundsOf({ least, most, words }: Setting, language: Language): string {
  if (words) return word(language, 'one_of', { values: words.map((each) => `\`${each}\``).join(' ') })
  return least === undefined || most === undefined ? '' : word(language, 'from_to', { least, most })
}

const changelogFile = join(import.meta.dirname, '../../../../../CHANGELOG.md')

/** The changelog is written once, in English. */
function changelog(language: Language): Content | undefined {
  if (!existsSync(changelogFile)) return undefined
  const text = readFileSync(changelogFile, 'utf8').replace(/^# .*\n+/, '')
  return {
    title: word(language, 'changelog_title'),
    summary: word(language, 'changelog_summary'),
    pieces: [{ markdown: text.trim(), ids: headingIds(text) }],
    isUntranslated: language !== 'en',
  }
}
