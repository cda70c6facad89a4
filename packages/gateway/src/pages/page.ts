import type { Language } from '../contract/language.ts'

/** A page as data, so that its HTML and its Markdown say the same. */
export interface Page {
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'links'; readonly links: readonly { text: string; href: string; note?: string }[] }

export type Cell = string | { readonly text: string; readonly href: string }

const languageNames: Readonly<Record<Language, string>> = { en: 'English', zh: '中文', ko: '한국어' }

export function toMarkdown(page: Page): string {
  const cell = (value: Cell) =>
    typeof value === 'string' ? value.replaceAll('|', '\\|') : `[${value.text}](${value.href})`
  const parts = page.blocks.map((block) => {
    if (block.kind === 'heading') return `## ${block.text}`
    if (block.kind === 'code') return `\`\`\`\n${block.text}\n\`\`\``
    if (block.kind === 'links') {
      return block.links
        .map(({ text, href, note }) => `- [${text}](${href})${note ? `: ${note}` : ''}`)
        .join('\n')
    }
    if (block.kind === 'text') return block.text
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
    return [
      line(block.head),
      line(block.head.map(() => '---')),
      ...block.rows.map((row) => line(row.map(cell))),
    ].join('\n')
  })
  return `${[`# ${page.title}`, ...parts].join('\n\n')}\n`
}

export function toHtml(page: Page, language: Language, path: string): string {
  const others = Object.entries(languageNames).map(
    ([code, name]) =>
      `<a href="${escaped(path)}?lang=${code}" hreflang="${code}" lang="${code}"${code === language ? ' aria-current="true"' : ''}>${name}</a>`,
  )
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · Trade Gateway</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="text/markdown" href="${escaped(path === '/' ? '/index' : path)}.md">
</head>
<body>
<header><a href="/?lang=${language}">Trade Gateway</a><nav>${others.join(' ')}</nav></header>
<main>
<h1>${escaped(page.title)}</h1>
${page.blocks.map(blockHtml).join('\n')}
</main>
</body>
</html>
`
}

function blockHtml(block: Block): string {
  if (block.kind === 'heading') return `<h2>${escaped(block.text)}</h2>`
  if (block.kind === 'text') return `<p>${escaped(block.text)}</p>`
  if (block.kind === 'code') return `<pre><code>${escaped(block.text)}</code></pre>`
  if (block.kind === 'links') {
    const item = ({ text, href, note }: { text: string; href: string; note?: string }) =>
      `<li><a href="${escaped(href)}">${escaped(text)}</a>${note ? ` — ${escaped(note)}` : ''}</li>`
    return `<ul>${block.links.map(item).join('')}</ul>`
  }
  const head = block.head.map((text) => `<th scope="col">${escaped(text)}</th>`).join('')
  const rows = block.rows.map(
    (row) => `<tr>${row.map((value) => `<td>${cellHtml(value)}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function cellHtml(value: Cell): string {
  return typeof value === 'string'
    ? escaped(value)
    : `<a href="${escaped(value.href)}">${escaped(value.text)}</a>`
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
