import { describe, expect, it } from 'vitest'
import { renderPageMarkdown } from '../page.ts'
import { toPieces } from './doc-page.ts'
import { isHighlighted } from './highlight.ts'
import { docsFolder, readSource } from './library.ts'
import { listHeadingIds, listLinks, parseMarkdown, Rendering, renderMarkdown } from './markdown.ts'
import { hashParts, MalformedPage, parseSource, splitBlocks } from './source.ts'
import { findStructureDifferences, listStaleBlocks, translateBlocks } from './translation.ts'
import { writtenDocs } from './tree.ts'

const english = `---
title: A page
summary: What it is.
---

First paragraph,
on two lines.

## A heading

\`\`\`sh run
echo one

echo two
\`\`\`

- an item

  that goes on

| a |
|---|
| b |
`
/** Returns the visible text of HTML. */
function extractVisibleText(html: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&#x27;': "'",
    '&amp;': '&',
  }
  return html.replace(/<[^>]*>/g, '').replace(/&#?\w+;/g, (entity) => entities[entity] ?? entity)
}

const body = parseSource(english)
const createTranslation = (sources: readonly string[], first = '첫 문단입니다.') =>
  parseSource(`---
title: 페이지
summary: 설명.
sources: ${sources.join(' ')}
---

${first}

## 제목

[[code]]

- 항목

  계속됩니다

| 가 |
|---|
| 나 |
`)
const hashes = hashParts(body)

describe('a page’s blocks', () => {
  it('are what blank lines separate; code is one block, an indented line goes on', () => {
    expect(body.blocks).toEqual([
      'First paragraph,\non two lines.',
      '## A heading',
      '```sh run\necho one\n\necho two\n```',
      '- an item\n\n  that goes on',
      '| a |\n|---|\n| b |',
    ])
  })

  it('keep code apart from text that touches it', () => {
    expect(splitBlocks('text\n```\ncode\n```\nmore')).toEqual(['text', '```\ncode\n```', 'more'])
  })

  it('part a list where blank lines part its items, and only there', () => {
    expect(splitBlocks('- one\n- two\n\n  still two\n\n- three\n\n      code\n\nafter')).toEqual([
      '- one\n- two\n\n  still two',
      '- three\n\n      code',
      'after',
    ])
  })

  it('are not parted by what only looks like a heading or a fence', () => {
    const code = '````text\n## no heading\n\n```\n\n````'
    const item = '1. Do:\n\n   ```sh\n   # no heading\n\n   ```'
    expect(splitBlocks(`${code}\n\n${item}`)).toEqual([code, item])
  })

  it.each([
    ['no front matter', 'text'],
    ['no summary', '---\ntitle: x\n---\n\ntext'],
    ['an open fence', '---\ntitle: x\nsummary: y\n---\n\n```\ncode'],
    ['an open fence in a list', '---\ntitle: x\nsummary: y\n---\n\n- a\n\n  ```sh\n  code\n\nafter'],
    ['a fence with nothing after it', '---\ntitle: x\nsummary: y\n---\n\n```'],
  ])('refuse %s', (_what, text) => {
    expect(() => parseSource(text)).toThrow(MalformedPage)
  })
})

describe('a translation', () => {
  it('stands for the blocks it is of, and code stands once', () => {
    const shown = translateBlocks(body, createTranslation(hashes))
    expect(shown.blocks.map(({ text }) => text)).toEqual([
      '첫 문단입니다.',
      '## 제목',
      body.blocks[2],
      '- 항목\n\n  계속됩니다',
      '| 가 |\n|---|\n| 나 |',
    ])
    expect(shown.blocks.every(({ isStale }) => !isStale)).toBe(true)
  })

  it('gives way to English, marked, where its source has changed, and only there', () => {
    const changed = parseSource(english.replace('First', 'The first'))
    const translation = createTranslation(hashes)
    expect(listStaleBlocks(changed, translation)).toEqual(['The first paragraph,\non two lines.'])
    const markdown = renderPageMarkdown(
      {
        path: '/docs/x',
        title: '',
        summary: '',
        trail: [],
        section: 'docs',
        pieces: toPieces(translateBlocks(changed, translation), 'ko'),
      },
      'ko',
      (text) => text,
    )
    expect(markdown).toContain('번역이 오래되어')
    expect(markdown).toContain('The first paragraph')
    expect(markdown).not.toContain('첫 문단입니다')
    expect(markdown).toContain('## 제목')
  })

  it.each([
    ['title', 'title: A page', 'title: The page'],
    ['summary', 'summary: What it is.', 'summary: What it does.'],
  ])(
    'gives way to English title and summary where the %s has changed, and its blocks stay',
    (_what, was, is) => {
      const changed = parseSource(english.replace(was, is))
      const shown = translateBlocks(changed, createTranslation(hashes))
      expect([shown.title, shown.summary]).toEqual([changed.title, changed.summary])
      expect(shown.blocks.every(({ isStale }) => !isStale)).toBe(true)
      expect(listStaleBlocks(changed, createTranslation(hashes))).toEqual([
        `${changed.title}\n${changed.summary}`,
      ])
      const current = translateBlocks(body, createTranslation(hashes))
      expect([current.title, current.summary]).toEqual(['페이지', '설명.'])
    },
  )

  it('survives a block that is put in or taken out elsewhere', () => {
    const grown = parseSource(english.replace('## A heading', 'New.\n\n## A heading'))
    expect(listStaleBlocks(grown, createTranslation(hashes))).toEqual(['New.'])
  })

  it('is of no use for code that changed: that is the source’s in any case', () => {
    const changed = parseSource(english.replace('echo one', 'echo 1'))
    expect(listStaleBlocks(changed, createTranslation(hashes))).toEqual([])
    expect(translateBlocks(changed, createTranslation(hashes)).blocks[2]?.text).toContain('echo 1')
  })

  it('is told where it does not follow its source', () => {
    expect(findStructureDifferences(body, createTranslation(hashes))).toEqual([])
    expect(findStructureDifferences(body, createTranslation(hashes, '## 제목'))).toHaveLength(1)
    expect(findStructureDifferences(body, createTranslation(hashes, '하나.\n\n둘.'))[0]).toContain('6 blocks')
    expect(findStructureDifferences(body, body)).toEqual([expect.stringContaining('[[code]]')])
  })

  it('takes the code of a list item from the source', () => {
    const source = parseSource('---\ntitle: x\nsummary: y\n---\n\n1. Do:\n\n   ```sh\n   echo hi\n   ```\n')
    const own = parseSource(
      `---\ntitle: x\nsummary: y\nsources: ${hashParts(source).join(' ')}\n---\n\n1. 하기:\n\n   [[code]]\n`,
    )
    expect(translateBlocks(source, own).blocks[0]?.text).toBe('1. 하기:\n\n   ```sh\n   echo hi\n   ```')
  })

  it('has the addresses of the English headings', () => {
    const [piece] = toPieces(translateBlocks(body, createTranslation(hashes)), 'ko')
    expect(piece?.ids).toEqual(['a-heading'])
  })
})

describe('Markdown', () => {
  const renderHtml = (text: string, query = '') =>
    String(renderMarkdown(text, new Rendering(query, { output: 'Output', table: 'Table', link: 'Link' })))

  it('shows HTML as text and follows no script', () => {
    const shown = renderHtml(
      '<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>',
    )
    expect(shown).not.toMatch(/<script|<img|href="javascript/)
  })

  it('captions what was captured, and says neither run nor output', () => {
    const shown = renderHtml('```sh run\necho hi\n```\n\n```json output\n{}\n```')
    expect(shown.match(/<figcaption>/g)).toHaveLength(1)
    expect(shown).toContain('<figure class="code output"><figcaption>Output</figcaption>')
    expect(shown).not.toContain('sh run')
  })

  it('colours by class and never by style', () => {
    const shown = renderHtml(
      '```ts\nconst a: string = "x" // no\n```\n\n```sh\ncurl "$A"\n```\n\n```json\n{"a": 1}\n```',
    )
    expect(shown).toContain('<span class="t-keyword">const</span>')
    expect(shown).not.toContain('style=')
  })

  it('colours the commands and options of a shell, and no keyword as a command', () => {
    const shown = renderHtml('```sh\nfor i in 1 2; do\n  A=1 curl -s "$X" | sed s/a/b/\ndone\n```')
    const marked = [...shown.matchAll(/<span class="t-([a-z_]+)">([^<]*)<\/span>/g)].map(
      ([, kind, text]) => `${kind} ${text}`,
    )
    expect(marked).toEqual([
      'keyword for',
      'keyword in',
      'keyword do',
      'built_in curl',
      'string -s',
      'variable $X',
      'built_in sed',
      'keyword done',
    ])
  })

  it.each(['sh', 'bash', 'ts', 'js', 'json', 'http', 'ini', 'sql', 'text', 'unknown', ''])(
    'shows code of the language “%s” as text, whatever it holds',
    (language) => {
      const code = `<img src=x onerror="a('b')"> & </code></pre><script>`
      const shown = renderHtml(`\`\`\`${language}\n${code}\n\`\`\``)
      expect(shown.match(/<(?!\/?(?:figure|pre|code|span)\b)/g)).toBe(null)
      expect(extractVisibleText(shown)).toBe(`${code}\n`)
    },
  )

  it('knows the language of every fence in the documents', () => {
    const unknown = writtenDocs.flatMap((path) => {
      const { blocks = [] } = readSource(docsFolder, 'en', path) ?? {}
      const fences = parseMarkdown(blocks.join('\n\n')).filter(({ type }) => type === 'fence')
      const names = fences.map(({ info }) => info.split(' ')[0] ?? '')
      return names
        .filter((name) => !['text', 'diagram'].includes(name) && !isHighlighted(name))
        .map((name) => `${path}: ${name}`)
    })
    expect(unknown).toEqual([])
  })

  it('gives two headings of one name two addresses', () => {
    expect(renderHtml('## A\n\n## A')).toMatch(/id="a".*id="a-2"/s)
    expect(listHeadingIds('## `GET /x` now\n\n### 제목')).toEqual(['get-x-now', '제목'])
    expect(listHeadingIds('## A\n\n### Added\n\n## B\n\n### Added')).toEqual(['a', 'added', 'b', 'added-2'])
  })

  it('puts the language into links within the site, before the section', () => {
    expect(renderHtml('[a](/docs/x#y) [b](https://example.com) [c](#d)', '?lang=ko')).toContain(
      'href="/docs/x?lang=ko#y"',
    )
    expect(listLinks('[a](/x) `[b](/y)`\n\n| [c](/z) |\n|---|')).toEqual(['/x', '/z'])
  })
})
