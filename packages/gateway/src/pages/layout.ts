import { type Language, languages } from '../contract/language.ts'
import { apiVersion } from '../contract/version.ts'
import { changelogFeedPath } from './docs/changelog.ts'
import { addQuery, Rendering, renderInlineMarkdown, renderMarkdown } from './docs/markdown.ts'
import { type Html, html } from './html.ts'
import { formatSiteText, type Link, type Page, type PageView, toLlmsPath } from './page.ts'

const languageNames: Readonly<Record<Language, string>> = { en: 'EN', zh: '中文', ko: '한국어' }
const languageTags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh', ko: 'ko' }

/** Renders a page as a complete HTML document that works without scripts. */
export function renderPage(page: Page, showing: PageView): string {
  const { language, query } = showing
  const rendering = new Rendering(query, {
    output: formatSiteText(language, 'output'),
    table: formatSiteText(language, 'table'),
    link: formatSiteText(language, 'link_here'),
  })
  rendering.used.add('content')
  const body = page.pieces.map((piece) => renderPiece(piece, rendering, showing))
  const contents = renderContents(rendering, language)
  const side = hasSide(page) ? renderSide(page, showing) : undefined
  return String(html`<!doctype html>
<html lang="${languageTags[language]}">
${renderHead(page, showing)}
<body class="${chooseForm(page)}${isCompact(page) ? ' compact' : ''}" ${renderScriptTexts(showing)}>
<a class="skip" href="#content">${formatSiteText(language, 'skip')}</a>
${renderHeader(page, showing)}
${side && html`<details class="drawer"><summary>${formatSiteText(language, 'menu')}${renderCurrentPlace(page)}</summary>${side}</details>`}
<div class="frame">
${side && html`<aside class="side">${side}</aside>`}
${renderMain(page, { ...showing, rendering, body, contents })}
${contents && page.form !== 'endpoint' ? html`<aside class="contents"><p>${formatSiteText(language, 'on_this_page')}</p>${contents}</aside>` : undefined}
</div>
<footer class="foot">
<p><a href="${addQuery(toMarkdownPath(page.path), query)}">${formatSiteText(language, 'as_markdown')}</a> <a href="${toLlmsPath(language)}">${formatSiteText(language, 'all_pages_for_agents')}</a> <a href="/openapi.json${query}">OpenAPI</a></p>
<p>Trade Gateway API ${apiVersion}</p>
</footer>
</body>
</html>
`)
}

/** Builds the address of a page's Markdown. */
export function toMarkdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`
}

function hasSide({ side = [] }: Page): boolean {
  return side.some(({ links }) => links.length > 0)
}

function chooseForm(page: Page): string {
  if (page.form === 'endpoint') return 'reading endpoint'
  return page.form ?? (hasSide(page) ? 'reading' : 'wide')
}

function isCompact({ section, path }: Page): boolean {
  return section === 'errors' && path !== '/errors'
}

function renderHead({ path, title, summary, assets = [] }: Page, { query, assetPath }: PageView): Html {
  const styles = ['site.css', ...assets.filter((name) => name.endsWith('.css'))]
  const scripts = ['site.js', ...assets.filter((name) => name.endsWith('.js'))]
  const chooseLoading = (script: string) =>
    script === 'swagger-ui-bundle.js' ? html`defer` : html`type="module"`
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${path === '/' ? `Trade Gateway: ${title}` : `${title} · Trade Gateway`}</title>
<meta name="description" content="${toPlainText(summary)}">
<script src="${assetPath('theme.js')}"></script>
${styles.map((name) => html`<link rel="stylesheet" href="${assetPath(name)}">\n`)}
<link rel="icon" href="${assetPath('mark.svg')}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${addQuery(toMarkdownPath(path), query)}">
${languages.map((each) => html`<link rel="alternate" hreflang="${each}" href="${path}?lang=${each}">\n`)}
<link rel="alternate" hreflang="x-default" href="${path}">
${
  path === '/changelog'
    ? html`<link rel="alternate" type="application/atom+xml" title="Trade Gateway" href="${changelogFeedPath}">
`
    : undefined
}${scripts.map((name) => html`<script ${chooseLoading(name)} src="${assetPath(name)}"></script>\n`)}
</head>`
}

interface RenderedView extends PageView {
  readonly rendering: Rendering
  readonly body: readonly Html[]
  readonly contents: Html | undefined
}

function renderMain(page: Page, rendered: RenderedView): Html {
  const { language, rendering, body, contents } = rendered
  const isEnglish = page.isUntranslated ? html` lang="en"` : undefined
  return html`<main id="content" tabindex="-1">
${renderTrail(page, rendered)}
<div class="titled"><h1>${page.title}</h1>${page.form === 'landing' || page.isMissing ? undefined : renderAgentMenu(page, rendered)}</div>
${page.operation ? renderOperation(page.operation) : html`<p class="lead">${renderInlineMarkdown(page.summary, rendering)}</p>`}
${page.isUntranslated ? html`<p class="note">${formatSiteText(language, 'untranslated')}</p>` : undefined}
${contents && html`<details class="contents-narrow"><summary>${formatSiteText(language, 'on_this_page')}</summary>${contents}</details>`}
<div class="prose"${isEnglish}>
${body}
</div>
${renderPager(page, rendered)}
${canBeRated(page) ? html`<section class="rating" data-page="${page.path}" aria-label="${formatSiteText(language, 'rating')}"></section>` : undefined}
</main>`
}

/** Whether readers are asked if the page was helpful. The script fills in the question. */
function canBeRated({ section, isMissing }: Page): boolean {
  return section !== 'home' && section !== 'swagger' && !isMissing
}

/** Renders the menu of what agents read: this page and all pages as Markdown. The script adds a button that copies. */
function renderAgentMenu({ path }: Page, { language, query }: PageView): Html {
  const links = [
    ['as_markdown', addQuery(toMarkdownPath(path), query)],
    ['all_pages_for_agents', toLlmsPath(language)],
    ['door_agent', addQuery('/docs/agents/connect-an-agent', query)],
  ] as const
  return html`<details class="agents"><summary class="tool">${formatSiteText(language, 'copy_for_ai')}</summary><ul>${links.map(
    ([word, href]) =>
      html`<li><a${word === 'as_markdown' ? html` class="as-markdown"` : undefined} href="${href}">${formatSiteText(language, word)}</a></li>`,
  )}</ul></details>`
}

function renderPiece(piece: Page['pieces'][number], rendering: Rendering, showing: PageView): Html {
  const { language } = showing
  rendering.ids = [...(piece.ids ?? [])]
  const content = piece.html
    ? piece.html((href) => addQuery(href, rendering.query), showing)
    : renderMarkdown(piece.markdown, rendering)
  if (!piece.isStale) return html`${content}\n`
  return html`<div class="stale"><p class="note">${formatSiteText(language, 'stale')}</p><div lang="en">${content}</div></div>\n`
}

function renderHeader(page: Page, { language, query }: PageView): Html {
  const renderSection = (id: 'docs' | 'reference' | 'errors' | 'swagger', text: string) =>
    html`<li><a href="/${id}${query}"${page.section === id ? currentPlace : undefined}>${text}</a></li>`
  const others = languages.map(
    (each) =>
      html`<li><a href="${page.path}?lang=${each}" hreflang="${each}" lang="${each}"${each === language ? currentPlace : undefined}>${languageNames[each]}</a></li>`,
  )
  return html`<header class="top"><div class="bar">
<a class="brand" href="/${query}"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M4 3v18M20 3v18" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/><path d="M8 12h8m-3.2-3.4L16.2 12l-3.4 3.4" fill="none" stroke="var(--accent)" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>Trade Gateway</a>
<nav class="sections" aria-label="${formatSiteText(language, 'sections')}"><ul>${renderSection('docs', formatSiteText(language, 'docs'))}${renderSection('reference', formatSiteText(language, 'reference'))}${renderSection('errors', formatSiteText(language, 'errors'))}${renderSection('swagger', formatSiteText(language, 'try_it'))}</ul></nav>
<div class="tools"><nav class="languages" aria-label="${formatSiteText(language, 'language')}"><ul>${others}</ul></nav></div>
</div></header>`
}

const currentPlace = html` aria-current="true"`
const currentPage = html` aria-current="page"`

function renderSide(page: Page, { language, query }: PageView): Html {
  const renderItem = ({ text, href, tag }: Link) =>
    html`<li><a href="${addQuery(href, query)}"${href === page.path ? currentPage : undefined}>${tag === undefined ? undefined : html`${renderMethod(tag)} `}${text}</a></li>`
  const groups = (page.side ?? [])
    .filter(({ links }) => links.length > 0)
    .map(({ title, links }) => html`<p>${title}</p><ul>${links.map(renderItem)}</ul>`)
  return html`<nav aria-label="${formatSiteText(language, 'pages_here')}">${groups}</nav>`
}

/** Renders the name of the page beside the closed menu of a phone. The page itself has it as its heading. */
function renderCurrentPlace({ title, section }: Page): Html | undefined {
  if (section !== 'reference' && section !== 'docs' && section !== 'errors') return undefined
  return html`<span class="here" aria-hidden="true">${title}</span>`
}

/** Renders an HTTP method as a coloured label. */
function renderMethod(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

/** Renders a method and its path, with optional line breaks after each slash. */
function renderOperation({ method, path }: NonNullable<Page['operation']>): Html {
  const [before = '', ...parts] = path.split('/')
  return html`<p class="operation">${renderMethod(method)}<span>${before}${parts.map((part) => html`/<wbr>${part}`)}</span></p>`
}

function renderTrail({ trail }: Page, { language, query }: PageView): Html | undefined {
  if (trail.length === 0) return undefined
  const items = trail.map(({ text, href }) => html`<li><a href="${addQuery(href, query)}">${text}</a></li>`)
  return html`<nav class="trail" aria-label="${formatSiteText(language, 'breadcrumb')}"><ol>${items}</ol></nav>`
}

/** Renders the table of contents if a page has at least two headings. */
function renderContents({ headings }: Rendering, language: Language): Html | undefined {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return undefined
  const items = shown.map(
    ({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`,
  )
  return html`<nav aria-label="${formatSiteText(language, 'on_this_page')}"><ul>${items}</ul></nav>`
}

function renderPager({ previous, next }: Page, { language, query }: PageView): Html | undefined {
  if (!previous && !next) return undefined
  const renderLink = (to: Link | undefined, kind: 'previous' | 'next') =>
    to &&
    html`<a class="${kind}" rel="${kind === 'next' ? 'next' : 'prev'}" href="${addQuery(to.href, query)}"><small>${formatSiteText(language, kind)}</small> ${to.text}</a>`
  return html`<nav class="pager" aria-label="${formatSiteText(language, 'previous')} / ${formatSiteText(language, 'next')}">${renderLink(previous, 'previous')}${renderLink(next, 'next')}</nav>`
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
  'rating',
  'rating_yes',
  'rating_no',
  'rating_why',
  'rating_unclear',
  'rating_incomplete',
  'rating_wrong',
  'rating_other',
  'rating_thanks',
  'rating_failed',
  'theme_dark',
  'theme_light',
] as const

/**
 * Renders the texts for scripts in the reader's language as `data-` attributes, because the content security policy
 * forbids inline scripts.
 */
function renderScriptTexts({ language }: PageView): Html {
  const words = scriptWords.map(
    (id) => html`data-${id.replaceAll('_', '-')}="${formatSiteText(language, id)}" `,
  )
  return html`${words}`
}

function toPlainText(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
