import { catalogue } from '../catalogue.ts'
import { errorCodes } from '../contract/errors.ts'
import { type Language, languages } from '../contract/language.ts'
import { codeBlock } from './docs/markdown.ts'
import { escaped } from './escape.ts'
import { fenced, type Page, type Piece, word } from './page.ts'

interface Door {
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

const doors: readonly Door[] = [
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

const firstCall = `TOKEN=$(curl -s "$BASE/api/v1/auth/token" -H 'Content-Type: application/json' \\
  -d '{"grant_type":"password","username":"…","password":"…"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s "$BASE/api/v1/warehouses/AUSYD1/stock?sku=SBX-LAST-1" -H "Authorization: Bearer $TOKEN"`

/** `/`: what this is, and three doors. */
export function homePage(language: Language): Page {
  return {
    path: '/',
    title: word(language, 'home_title'),
    summary: word(language, 'home_lead'),
    pieces: [doorsPiece(language), firstCallPiece(language), figuresPiece(language)],
    trail: [],
    section: 'home',
    form: 'landing',
  }
}

function firstCallPiece(language: Language): Piece {
  const [title, text] = [word(language, 'home_first'), word(language, 'home_first_text')]
  return {
    markdown: `## ${title}\n\n${text}\n\n${fenced(firstCall, 'sh')}`,
    html: () =>
      `<section class="beside"><div><h2 id="first-call">${escaped(title)}</h2><p>${escaped(text)}</p></div>${codeBlock(firstCall, 'sh')}</section>`,
  }
}

function doorsPiece(language: Language): Piece {
  const say = (id: Parameters<typeof word>[1]) => word(language, id)
  return {
    markdown: doors
      .map(({ title, text, links }) =>
        [
          `## ${say(title)}`,
          say(text),
          links.map((link) => `- [${say(link.word)}](${link.href})`).join('\n'),
        ].join('\n\n'),
      )
      .join('\n\n'),
    html: (link) =>
      `<div class="doors">${doors
        .map(
          ({ title, text, links }) =>
            `<section class="door"><h2>${escaped(say(title))}</h2><p>${escaped(say(text))}</p><ul>${links
              .map((to) => `<li><a href="${link(to.href)}">${escaped(say(to.word))}</a></li>`)
              .join('')}</ul></section>`,
        )
        .join('')}</div>`,
  }
}

function figuresPiece(language: Language): Piece {
  const figures = [
    [catalogue.length, word(language, 'fact_endpoints')],
    [errorCodes.length, word(language, 'fact_errors')],
    [600, word(language, 'fact_points')],
    [languages.length, word(language, 'fact_languages')],
  ] as const
  const title = word(language, 'home_facts')
  return {
    markdown: `## ${title}\n\n${figures.map(([count, what]) => `- ${count} ${what}`).join('\n')}`,
    html: () =>
      `<h2 id="figures">${escaped(title)}</h2><dl class="figures">${figures
        .map(([count, what]) => `<div><dt>${escaped(what)}</dt><dd>${count}</dd></div>`)
        .join('')}</dl>`,
  }
}
