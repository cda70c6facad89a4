import { type Language, languages } from '../contract/language.ts'
import { apiVersion } from '../http/headers.ts'
import { inlineHtml, localLink, markdownHtml, Rendering } from './docs/markdown.ts'
import { escaped } from './escape.ts'
import { type Link, llmsPath, type NavGroup, type Page, word } from './page.ts'

const languageNames: Readonly<Record<Language, string>> = { en: 'EN', zh: '中文', ko: '한국어' }
const languageTags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh', ko: 'ko' }

/** What a page is shown with: who asked, and where the assets are. */
export interface Showing {
  readonly language: Language
  /** `?lang=zh` where the reader asked by the address, so that links keep it. */
  readonly query: string
  readonly assetPath: (name: string) => string
}

/** A page as a whole HTML document, complete without scripts. */
export function pageHtml(page: Page, showing: Showing): string {
  const { language, query, assetPath } = showing
  const say = (id: Parameters<typeof word>[1]) => escaped(word(language, id))
  const rendering = new Rendering(query, {
    output: word(language, 'output'),
    table: word(language, 'table'),
    link: word(language, 'link_here'),
  })
  rendering.used.add('content')
  const body = page.pieces.map((piece) => pieceHtml(piece, rendering, language)).join('\n')
  const summary = inlineHtml(page.summary, rendering)
  const contents = contentsHtml(rendering, language)
  const side = (page.side ?? []).filter(({ links }) => links.length > 0)
  const styles = ['site.css', ...(page.assets ?? []).filter((name) => name.endsWith('.css'))]
  const scripts = ['site.js', ...(page.assets ?? []).filter((name) => name.endsWith('.js'))]
  const form = page.form ?? (side.length > 0 ? 'reading' : 'wide')
  return `<!doctype html>
<html lang="${languageTags[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.path === '/' ? `Trade Gateway: ${page.title}` : `${page.title} · Trade Gateway`)}</title>
<meta name="description" content="${escaped(plain(page.summary))}">
<script src="${assetPath('theme.js')}"></script>
${styles.map((name) => `<link rel="stylesheet" href="${assetPath(name)}">`).join('\n')}
<link rel="icon" href="${assetPath('mark.svg')}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${escaped(localLink(markdownPath(page.path), query))}">
${languages.map((each) => `<link rel="alternate" hreflang="${each}" href="${escaped(page.path)}?lang=${each}">`).join('\n')}
<link rel="alternate" hreflang="x-default" href="${escaped(page.path)}">
${scripts.map((name) => `<script ${name === 'swagger-ui-bundle.js' ? 'defer' : 'type="module"'} src="${assetPath(name)}"></script>`).join('\n')}
</head>
<body class="${form}${page.section === 'errors' && page.path !== '/errors' ? ' compact' : ''}" ${wordsForScript(language, assetPath)}>
<a class="skip" href="#content">${say('skip')}</a>
${headerHtml(page, showing)}
${side.length > 0 ? `<details class="drawer"><summary>${say('menu')}</summary>${sideHtml(side, page, showing)}</details>` : ''}
<div class="frame">
${side.length > 0 ? `<aside class="side">${sideHtml(side, page, showing)}</aside>` : ''}
<main id="content" tabindex="-1">
${trailHtml(page, showing)}
<h1>${escaped(page.title)}</h1>
${page.operation ? operationHtml(page.operation) : `<p class="lead">${summary}</p>`}
${page.isUntranslated ? `<p class="note">${say('untranslated')}</p>` : ''}
${contents === '' ? '' : `<details class="contents-narrow"><summary>${say('on_this_page')}</summary>${contents}</details>`}
<div class="prose"${page.isUntranslated ? ' lang="en"' : ''}>
${body}
</div>
${pagerHtml(page, showing)}
</main>
${contents === '' ? '' : `<aside class="contents"><p>${say('on_this_page')}</p>${contents}</aside>`}
</div>
<footer class="foot">
<p><a class="as-markdown" href="${escaped(localLink(markdownPath(page.path), query))}">${say('as_markdown')}</a> <a href="${llmsPath(language)}">${say('all_pages_for_agents')}</a> <a href="/openapi.json${query}">OpenAPI</a></p>
<p>Trade Gateway API ${apiVersion}</p>
</footer>
</body>
</html>
`
}

/** The address of a page's Markdown. */
export function markdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`
}

function pieceHtml(piece: Page['pieces'][number], rendering: Rendering, language: Language): string {
  rendering.ids = [...(piece.ids ?? [])]
  const html = piece.html
    ? piece.html((href) => escaped(localLink(href, rendering.query)))
    : markdownHtml(piece.markdown, rendering)
  if (!piece.isStale) return html
  return `<div class="stale"><p class="note">${escaped(word(language, 'stale'))}</p><div lang="en">${html}</div></div>`
}

function headerHtml(page: Page, { language, query }: Showing): string {
  const section = (id: 'docs' | 'reference' | 'errors' | 'swagger', text: string) => {
    const current = page.section === id ? ' aria-current="true"' : ''
    return `<li><a href="/${id}${query}"${current}>${escaped(text)}</a></li>`
  }
  const others = languages.map(
    (each) =>
      `<li><a href="${escaped(page.path)}?lang=${each}" hreflang="${each}" lang="${each}"${each === language ? ' aria-current="true"' : ''}>${languageNames[each]}</a></li>`,
  )
  return `<header class="top"><div class="bar">
<a class="brand" href="/${query}"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 3v18M20 3v18" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/><path d="M8 12h8m-3.2-3.4L16.2 12l-3.4 3.4" fill="none" stroke="var(--accent)" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>Trade Gateway</a>
<nav class="sections" aria-label="${escaped(word(language, 'sections'))}"><ul>${section('docs', word(language, 'docs'))}${section('reference', word(language, 'reference'))}${section('errors', word(language, 'errors'))}${section('swagger', word(language, 'try_it'))}</ul></nav>
<div class="tools"><nav class="languages" aria-label="${escaped(word(language, 'language'))}"><ul>${others.join('')}</ul></nav></div>
</div></header>`
}

function sideHtml(groups: readonly NavGroup[], page: Page, { language, query }: Showing): string {
  const item = ({ text, href, tag }: Link) => {
    const current = href === page.path ? ' aria-current="page"' : ''
    return `<li><a href="${escaped(localLink(href, query))}"${current}>${tag === undefined ? '' : `${methodHtml(tag)} `}${escaped(text)}</a></li>`
  }
  const group = ({ title, links }: NavGroup) => `<p>${escaped(title)}</p><ul>${links.map(item).join('')}</ul>`
  return `<nav aria-label="${escaped(word(language, 'pages_here'))}">${groups.map(group).join('')}</nav>`
}

/** A method as a small coloured word. */
export function methodHtml(method: string): string {
  return `<span class="method ${escaped(method.toLowerCase())}">${escaped(method)}</span>`
}

/** A method and its path, which may break after each slash. */
function operationHtml({ method, path }: NonNullable<Page['operation']>): string {
  return `<p class="operation">${methodHtml(method)}<span>${escaped(path).replaceAll('/', '/<wbr>')}</span></p>`
}

function trailHtml({ trail }: Page, { language, query }: Showing): string {
  if (trail.length === 0) return ''
  const items = trail.map(
    ({ text, href }) => `<li><a href="${escaped(localLink(href, query))}">${escaped(text)}</a></li>`,
  )
  return `<nav class="trail" aria-label="${escaped(word(language, 'breadcrumb'))}"><ol>${items.join('')}</ol></nav>`
}

function contentsHtml({ headings }: Rendering, language: Language): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${escaped(id)}">${escaped(text)}</a></li>`,
  )
  return `<nav aria-label="${escaped(word(language, 'on_this_page'))}"><ul>${items.join('')}</ul></nav>`
}

function pagerHtml({ previous, next }: Page, { language, query }: Showing): string {
  if (!previous && !next) return ''
  const link = (to: Link | undefined, kind: 'previous' | 'next') =>
    to === undefined
      ? ''
      : `<a class="${kind}" rel="${kind === 'next' ? 'next' : 'prev'}" href="${escaped(localLink(to.href, query))}"><small>${escaped(word(language, kind))}</small> ${escaped(to.text)}</a>`
  return `<nav class="pager" aria-label="${escaped(`${word(language, 'previous')} / ${word(language, 'next')}`)}">${link(previous, 'previous')}${link(next, 'next')}</nav>`
}

const scriptWords = [
  'search',
  'search_placeholder',
  'search_none',
  'search_failed',
  'close',
  'copy',
  'copied',
  'copy_failed',
  'copy_page',
  'theme_dark',
  'theme_light',
] as const

/** What the scripts say, in the reader's language: as attributes, since nothing is written inline. */
function wordsForScript(language: Language, assetPath: (name: string) => string): string {
  const words = scriptWords.map((id) => `data-${id.replaceAll('_', '-')}="${escaped(word(language, id))}"`)
  return [...words, `data-index="${assetPath(`search-${language}.json`)}"`].join(' ')
}

function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
