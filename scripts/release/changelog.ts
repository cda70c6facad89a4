/**
 * A changelog in the format of Keep a Changelog: a heading for each version, newest first, with the sections Added,
 * Changed and Fixed. A release moves the items under "Unreleased" and the notes of `.changeset` to a new version.
 */
export const sections = ['Added', 'Changed', 'Fixed'] as const
export type Section = (typeof sections)[number]

export interface Entry {
  readonly section: Section
  readonly text: string
}

export interface Release {
  readonly version: string
  /** `YYYY-MM-DD` */
  readonly date: string
  readonly notes: readonly Entry[]
}

const unreleasedHeading = '## Unreleased'

/** Converts a note to an entry. Throws if its first word is not a section. */
export function parseNote(id: string, summary: string): Entry {
  const [, word, text] = /^(\w+):\s+(.+)$/s.exec(summary.trim()) ?? []
  const section = sections.find((each) => each === word)
  if (section === undefined || text === undefined) {
    throw new Error(
      `.changeset/${id}.md must begin with "Added: ", "Changed: " or "Fixed: ", not "${summary.trim().slice(0, 40)}".`,
    )
  }
  return { section, text: text.replaceAll(/\s*\n\s*/g, ' ') }
}

/** Returns the changelog after a release, with an empty "Unreleased" section. */
export function addReleaseToChangelog(changelog: string, { version, date, notes }: Release): string {
  const { before, unreleased, after } = splitAtUnreleased(changelog)
  const entries = [...parseEntries(unreleased), ...notes]
  if (entries.length === 0)
    throw new Error('Nothing to release: no note in .changeset, and nothing under Unreleased.')
  const lists = sections.flatMap((section) => {
    const texts = entries.filter((entry) => entry.section === section).map(({ text }) => `- ${text}`)
    return texts.length === 0 ? [] : [`### ${section}\n\n${texts.join('\n')}`]
  })
  return `${[before, unreleasedHeading, `## ${version} - ${date}`, ...lists, after].filter((part) => part !== '').join('\n\n')}\n`
}

function splitAtUnreleased(changelog: string) {
  const [before = '', rest] = changelog.split(new RegExp(`^${unreleasedHeading}$`, 'm'))
  if (rest === undefined) throw new Error(`CHANGELOG.md has no line "${unreleasedHeading}".`)
  const next = rest.search(/^## /m)
  const end = next < 0 ? rest.length : next
  return { before: before.trim(), unreleased: rest.slice(0, end), after: rest.slice(end).trim() }
}

/** Parses the list items of a part of the changelog. Throws if an item is outside a section, so that none is lost. */
export function parseEntries(part: string): Entry[] {
  const entries: Entry[] = []
  let section: Section | undefined
  for (const line of part.split('\n')) {
    if (line.trim() === '') continue
    const heading = /^### (.+)$/.exec(line)?.[1]
    if (heading !== undefined) section = sections.find((each) => each === heading)
    const text = /^- (.+)$/.exec(line)?.[1]
    if (section !== undefined && text !== undefined) entries.push({ section, text })
    else if (section === undefined || heading === undefined) {
      throw new Error(
        `CHANGELOG.md, under Unreleased: "${line.slice(0, 60)}" must be an item of Added, Changed or Fixed, on one line.`,
      )
    }
  }
  return entries
}
