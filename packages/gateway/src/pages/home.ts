import { catalogue } from '../catalogue.ts'
import { errorCodes } from '../contract/error-table.ts'
import { type Language, languages } from '../contract/language.ts'
import { buildDiagramPiece } from './diagrams/svg.ts'
import { docsFolder, readSource } from './docs/library.ts'
import { parseMarkdown, renderCodeBlock } from './docs/markdown.ts'
import { firstCallDoc } from './docs/tree.ts'
import { html } from './html.ts'
import { fenceCode, formatSiteText, type Page, type Piece } from './page.ts'

interface HomeCard {
  readonly title: 'home_integrate' | 'home_operate' | 'home_agent'
  readonly text: 'home_integrate_text' | 'home_operate_text' | 'home_agent_text'
  readonly links: readonly {
    readonly word:
      | 'door_quickstart'
      | 'door_orders'
      | 'reference'
      | 'door_operate'
      | 'config_title'
      | 'door_erp'
      | 'door_agent'
      | 'door_llms'
      | 'door_openapi'
    readonly href: string
  }[]
}

const homeCards: readonly HomeCard[] = [
  {
    title: 'home_integrate',
    text: 'home_integrate_text',
    links: [
      { word: 'door_quickstart', href: '/docs/quickstart' },
      { word: 'door_orders', href: '/docs/guides/dropship-order' },
      { word: 'reference', href: '/reference' },
    ],
  },
  {
    title: 'home_operate',
    text: 'home_operate_text',
    links: [
      { word: 'door_operate', href: '/docs/operate' },
      { word: 'config_title', href: '/docs/configuration' },
      { word: 'door_erp', href: '/docs/erp/connect-an-erp' },
    ],
  },
  {
    title: 'home_agent',
    text: 'home_agent_text',
    links: [
      { word: 'door_agent', href: '/docs/agents/connect-an-agent' },
      { word: 'door_llms', href: '/llms.txt' },
      { word: 'door_openapi', href: '/openapi.json' },
    ],
  },
]

/** Builds the home page: an introduction, and cards for integrators, operators and agents. */
export function buildHomePage(language: Language): Page {
  return {
    path: '/',
    title: formatSiteText(language, 'home_title'),
    summary: formatSiteText(language, 'home_lead'),
    pieces: [
      buildCards(language),
      buildFirstCall(language),
      buildArchitecture(language),
      buildFigures(language),
    ],
    trail: [],
    section: 'home',
    form: 'landing',
  }
}

/** Shows the call of `docs/en/home.md`, which the samples run as it is printed, and its response. */
function buildFirstCall(language: Language): Piece {
  const [title, text] = [formatSiteText(language, 'home_first'), formatSiteText(language, 'home_first_text')]
  const [call = '', response = ''] = readFirstCall()
  const output = formatSiteText(language, 'answer')
  return {
    markdown: `## ${title}\n\n${text}\n\n${fenceCode(call, 'sh')}\n\n${fenceCode(response, 'json', true)}`,
    html: () =>
      html`<section><h2 id="first-call">${title}</h2><p>${text}</p><div class="beside">${renderCodeBlock(call, 'sh')}${renderCodeBlock(response, 'json', output)}</div></section>`,
  }
}

/** Reads the command and the output of the first call. */
function readFirstCall(): string[] {
  const blocks = readSource(docsFolder, 'en', firstCallDoc)?.blocks ?? []
  return parseMarkdown(blocks.join('\n\n')).flatMap(({ type, content }) =>
    type === 'fence' ? [content.trimEnd()] : [],
  )
}

function buildArchitecture(language: Language): Piece {
  const { markdown, html: render } = buildDiagramPiece('architecture', language)
  const title = formatSiteText(language, 'home_architecture')
  return {
    markdown: `## ${title}\n\n${markdown}`,
    html: (link, view) => html`<section><h2 id="architecture">${title}</h2>${render?.(link, view)}</section>`,
  }
}

function buildCards(language: Language): Piece {
  const translate = (id: Parameters<typeof formatSiteText>[1]) => formatSiteText(language, id)
  return {
    markdown: homeCards
      .map(({ title, text, links }) =>
        [
          `## ${translate(title)}`,
          translate(text),
          links.map((link) => `- [${translate(link.word)}](${link.href})`).join('\n'),
        ].join('\n\n'),
      )
      .join('\n\n'),
    html: (link) =>
      html`<div class="doors">${homeCards.map(
        ({ title, text, links }) =>
          html`<section class="door"><h2>${translate(title)}</h2><p>${translate(text)}</p><ul>${links.map(
            (to) => html`<li><a href="${link(to.href)}">${translate(to.word)}</a></li>`,
          )}</ul></section>`,
      )}</div>`,
  }
}

function buildFigures(language: Language): Piece {
  const figures = [
    [catalogue.length, formatSiteText(language, 'fact_endpoints')],
    [errorCodes.length, formatSiteText(language, 'fact_errors')],
    [600, formatSiteText(language, 'fact_points')],
    [languages.length, formatSiteText(language, 'fact_languages')],
  ] as const
  const title = formatSiteText(language, 'home_facts')
  return {
    markdown: `## ${title}\n\n${figures.map(([count, what]) => `- ${count} ${what}`).join('\n')}`,
    html: () =>
      html`<h2 id="figures">${title}</h2><dl class="figures">${figures.map(
        ([count, what]) => html`<div><dt>${what}</dt><dd>${count}</dd></div>`,
      )}</dl>`,
  }
}
