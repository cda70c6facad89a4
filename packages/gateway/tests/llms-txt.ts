/** A list of pages in the format of llmstxt.org: a title, a summary, notes without headings, and sections of links. */
export interface LlmsText {
  readonly title: string
  readonly summary: string
  readonly sections: readonly { readonly title: string; readonly links: readonly LlmsLink[] }[]
}

interface LlmsLink {
  readonly name: string
  readonly href: string
  readonly note: string | undefined
}

/** Parses a list strictly. Throws an error that says what is not valid. */
export function parseLlmsTxt(text: string): LlmsText {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const title = /^# (\S.*)$/.exec(lines[0] ?? '')?.[1]
  if (title === undefined) throw new Error('line 1 is no heading of the first level')
  let summary = ''
  const sections: { title: string; links: LlmsLink[] }[] = []
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue
    const section = sections.at(-1)
    const where = `line ${index + 1}: ${line}`
    if (line.startsWith('## ')) sections.push({ title: line.slice(3), links: [] })
    else if (line.startsWith('#')) throw new Error(`${where}: a heading of another level`)
    else if (section) section.links.push(parseLink(line, where))
    else if (line.startsWith('> ')) summary = line.slice(2)
    else if (/^[-*] |^\d+\. /.test(line)) throw new Error(`${where}: a list before the first section`)
  }
  const empty = sections.find(({ links }) => links.length === 0)
  if (empty) throw new Error(`the section ${empty.title} is empty`)
  if (summary === '') throw new Error('there is no summary')
  return { title, summary, sections }
}

function parseLink(line: string, where: string): LlmsLink {
  const [, name, href, note] = /^- \[([^[\]]+)\]\(([^()\s]+)\)(?:: (\S.*))?$/.exec(line) ?? []
  if (name === undefined || href === undefined)
    throw new Error(`${where}: no link of the form - [name](url): note`)
  return { name, href, note }
}
