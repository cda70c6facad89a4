import { catalogue, endpointIdOf } from '../catalogue.ts'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import type { Page } from './page.ts'

/** `/`: what this is, and every endpoint in one table. */
export function home(language: Language): Page {
  const { pages, endpoints } = texts[language]
  const rows = catalogue.map((endpoint) => [
    `${endpoint.method} ${endpoint.path}`,
    endpoints[endpointIdOf(endpoint)].summary,
  ])
  return {
    title: pages.home_title,
    blocks: [
      { kind: 'text', text: pages.home_lead },
      {
        kind: 'links',
        links: [
          { text: 'OpenAPI 3.1', href: '/openapi.json' },
          { text: pages.errors_title, href: '/errors' },
        ],
      },
      { kind: 'table', head: ['HTTP', pages.meaning], rows },
    ],
  }
}
