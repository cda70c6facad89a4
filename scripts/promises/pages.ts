import { type Language, languages } from '../../packages/gateway/src/contract/language.ts'
import { hashParts, parseSource } from '../../packages/gateway/src/pages/docs/source.ts'
import type { Promised } from '../../packages/gateway/tests/promises/promise.ts'
import type { Figure } from './report.ts'
import { type Words, words } from './words.ts'

/** Promises by subject, as in `packages/gateway/tests/promises/list.ts`. */
export type Groups = Readonly<Record<string, Readonly<Record<string, Promised>>>>

/**
 * The figures of the last run. They are read back from the English page, so that the pages can be written without
 * running the tests.
 */
export interface Figures {
  readonly date: string
  readonly commit: string
  readonly byPromise: ReadonlyMap<string, Figure>
}

export const getPagePath = (language: Language) => `docs/${language}/promises.md`
export const securityPath = 'SECURITY.md'

/** Renders the text of each generated page, by path. */
export function renderPages(groups: Groups, figures: Figures): Map<string, string> {
  const english = renderPage(groups, figures, 'en')
  const sources = `sources: ${hashParts(parseSource(english)).join(' ')}\n`
  return new Map(
    languages.map((language) => {
      const page = renderPage(groups, figures, language)
      return [getPagePath(language), language === 'en' ? page : page.replace(/\n---\n/, `\n${sources}---\n`)]
    }),
  )
}

function renderPage(groups: Groups, figures: Figures, language: Language): string {
  const said = words[language]
  const sections = Object.entries(groups).map(
    ([subject, promises]) =>
      `## ${said.subjects[subject] ?? subject}\n\n${formatTable(promises, figures, language)}`,
  )
  const front = `---\ntitle: ${said.title}\nsummary: ${said.summary}\n---`
  return `${[front, ...said.lead, said.lastRun(figures), ...sections].join('\n\n')}\n`
}

function formatTable(
  promises: Readonly<Record<string, Promised>>,
  { byPromise }: Figures,
  language: Language,
): string {
  const said = words[language]
  const rows = Object.entries(promises).map(([id, promised]) => {
    const files = Object.keys(promised.triedBy)
    const cell = files.length === 0 ? said.notTried : formatFigureCell(byPromise.get(id), said)
    return [id, promised[language], files.map(formatFileCell).join(' ') || '—', cell]
  })
  return [said.head, said.head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Formats the path of a test file. Most files belong to the gateway, so its folder is left out. */
const formatFileCell = (file: string) => formatCode(file.replace(/^packages\/gateway\//, ''))

/** Formats a text as code. Bars and backticks, which would break the table, become spaces. */
const formatCode = (text: string) => `\`${text.replaceAll(/[\s`|]+/g, ' ')}\``

function formatFigureCell(figure: Figure | undefined, said: Words): string {
  if (!figure) return said.notRun
  return [...figure.texts.map(formatCode), said.passed(figure.passed, figure.ran)].join(' ')
}

const opening = '<!-- promises: written by npm run promises -->'
const closing = '<!-- /promises -->'

/**
 * Returns the text of `SECURITY.md` with the table of all promises between the marks `opening` and `closing`. Throws if
 * a mark is missing.
 */
export function renderSecurity(text: string, groups: Groups, figures: Figures): string {
  const [before, rest] = text.split(opening)
  const after = rest?.split(closing)[1]
  if (before === undefined || after === undefined)
    throw new TypeError(`${securityPath} has no "${opening}" before a "${closing}".`)
  const all = Object.assign({}, ...Object.values(groups))
  return `${before}${opening}\n\n${words.en.lastRun(figures)}\n\n${formatTable(all, figures, 'en')}\n\n${closing}${after}`
}

/** Reads the figures of an English page. Returns none if there is no page yet. */
export function readFigures(page: string | undefined): Figures {
  const [, date = '', commit = ''] = words.en.lastRunPattern.exec(page ?? '') ?? []
  const rows = [...(page ?? '').matchAll(/^\| (\w+) \| .* \| .* \| (.*) \|$/gm)]
  const byPromise = new Map<string, Figure>()
  for (const [, id = '', cell = ''] of rows) {
    const [, passed, ran] = words.en.passedPattern.exec(cell) ?? []
    if (passed === undefined || ran === undefined) continue
    const texts = [...cell.matchAll(/`([^`]*)`/g)].map(([, text = '']) => text)
    byPromise.set(id, { passed: Number(passed), ran: Number(ran), texts })
  }
  return { date, commit, byPromise }
}
