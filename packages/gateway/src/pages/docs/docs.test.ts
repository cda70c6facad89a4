import { describe, expect, it } from 'vitest'
import { pageMarkdown } from '../page.ts'
import { piecesOf } from './doc-page.ts'
import { headingIds, linksOf, markdownHtml, Rendering } from './markdown.ts'
import { blocksOf, hashOf, MalformedPage, sourceFrom } from './source.ts'
import { misfits, staleBlocks, translated } from './translation.ts'

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
const body = sourceFrom(english)
const korean = (sources: readonly string[], first = '첫 문단입니다.') =>
  sourceFrom(`---
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
const hashes = body.blocks.map(hashOf)

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
    expect(blocksOf('text\n```\ncode\n```\nmore')).toEqual(['text', '```\ncode\n```', 'more'])
  })

  it.each([
    ['no front matter', 'text'],
    ['no summary', '---\ntitle: x\n---\n\ntext'],
    ['an open fence', '---\ntitle: x\nsummary: y\n---\n\n```\ncode'],
  ])('refuse %s', (_what, text) => {
    expect(() => sourceFrom(text)).toThrow(MalformedPage)
  })
})

describe('a translation', () => {
  it('stands for the blocks it is of, and code stands once', () => {
    const shown = translated(body, korean(hashes))
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
    const changed = sourceFrom(english.replace('First', 'The first'))
    const translation = korean(hashes)
    expect(staleBlocks(changed, translation)).toEqual(['The first paragraph,\non two lines.'])
    const markdown = pageMarkdown(
      {
        path: '/docs/x',
        title: '',
        summary: '',
        trail: [],
        section: 'docs',
        pieces: piecesOf(translated(changed, translation)),
      },
      'ko',
      (text) => text,
    )
    expect(markdown).toContain('번역이 오래되어')
    expect(markdown).toContain('The first paragraph')
    expect(markdown).not.toContain('첫 문단입니다')
    expect(markdown).toContain('## 제목')
  })

  it('survives a block that is put in or taken out elsewhere', () => {
    const grown = sourceFrom(english.replace('## A heading', 'New.\n\n## A heading'))
    expect(staleBlocks(grown, korean(hashes))).toEqual(['New.'])
  })

  it('is of no use for code that changed: that is the source’s in any case', () => {
    const changed = sourceFrom(english.replace('echo one', 'echo 1'))
    expect(staleBlocks(changed, korean(hashes))).toEqual([])
    expect(translated(changed, korean(hashes)).blocks[2]?.text).toContain('echo 1')
  })

  it('is told where it does not follow its source', () => {
    expect(misfits(body, korean(hashes))).toEqual([])
    expect(misfits(body, korean(hashes, '## 제목'))).toHaveLength(1)
    expect(misfits(body, korean(hashes, '하나.\n\n둘.'))[0]).toContain('6 blocks')
    expect(misfits(body, body)).toEqual([expect.stringContaining('[[code]]')])
  })

  it('takes the code of a list item from the source', () => {
    const source = sourceFrom('---\ntitle: x\nsummary: y\n---\n\n1. Do:\n\n   ```sh\n   echo hi\n   ```\n')
    const own = sourceFrom(
      `---\ntitle: x\nsummary: y\nsources: ${source.blocks.map(hashOf).join(' ')}\n---\n\n1. 하기:\n\n   [[code]]\n`,
    )
    expect(translated(source, own).blocks[0]?.text).toBe('1. 하기:\n\n   ```sh\n   echo hi\n   ```')
  })

  it('has the addresses of the English headings', () => {
    const [piece] = piecesOf(translated(body, korean(hashes)))
    expect(piece?.ids).toEqual(['a-heading'])
  })
})

describe('Markdown', () => {
  const html = (text: string, query = '') =>
    markdownHtml(text, new Rendering(query, { output: 'Output', table: 'Table', link: 'Link' }))

  it('shows HTML as text and follows no script', () => {
    const shown = html('<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>')
    expect(shown).not.toMatch(/<script|<img|href="javascript/)
  })

  it('captions what was captured, and says neither run nor output', () => {
    const shown = html('```sh run\necho hi\n```\n\n```json output\n{}\n```')
    expect(shown.match(/<figcaption>/g)).toHaveLength(1)
    expect(shown).toContain('<figure class="code output"><figcaption>Output</figcaption>')
    expect(shown).not.toContain('sh run')
  })

  it('colours by class and never by style', () => {
    const shown = html(
      '```ts\nconst a: string = `x` // no\n```\n\n```sh\ncurl "$A"\n```\n\n```json\n{"a": 1}\n```',
    )
    expect(shown).toContain('<span class="t-keyword">const</span>')
    expect(shown).not.toContain('style=')
  })

  it('gives two headings of one name two addresses', () => {
    expect(html('## A\n\n## A')).toMatch(/id="a".*id="a-2"/s)
    expect(headingIds('## `GET /x` now\n\n### 제목')).toEqual(['get-x-now', '제목'])
  })

  it('puts the language into links within the site, before the section', () => {
    expect(html('[a](/docs/x#y) [b](https://example.com) [c](#d)', '?lang=ko')).toContain(
      'href="/docs/x?lang=ko#y"',
    )
    expect(linksOf('[a](/x) `[b](/y)`\n\n| [c](/z) |\n|---|')).toEqual(['/x', '/z'])
  })
})
