import type { Language } from '../contract/language.ts'
import { escaped } from './escape.ts'
import { type Page, word } from './page.ts'

/** `/swagger`: Swagger UI over the contract in the reader's language. Its scripts are ours to serve, from the package. */
export function swaggerPage(language: Language): Page {
  const note = `${word(language, 'swagger_no_script')} [${word(language, 'reference')}](/reference), [${word(language, 'openapi_link')}](/openapi.json).`
  return {
    path: '/swagger',
    title: word(language, 'swagger_title'),
    summary: word(language, 'swagger_lead'),
    pieces: [
      {
        markdown: note,
        html: (link) =>
          `<noscript><p class="note">${escaped(word(language, 'swagger_no_script'))} <a href="${link('/reference')}">${escaped(word(language, 'reference'))}</a></p></noscript><div id="swagger-ui" data-contract="/openapi.json?lang=${language}"></div>`,
      },
    ],
    trail: [],
    section: 'swagger',
    form: 'wide',
    assets: ['swagger-ui.css', 'swagger.css', 'swagger-ui-bundle.js', 'swagger.js'],
  }
}
