import type { Language } from '../contract/language.ts'
import { html } from './html.ts'
import { formatSiteText, type Page } from './page.ts'
import { visitorToken } from './visitors/endpoints.ts'

/**
 * Builds `/swagger`: Swagger UI for the contract in the reader's language. Its scripts come from the npm package and
 * are served by this process. In front of the sandbox, the page has a visitor’s token, so that a read is two clicks away.
 */
export function buildSwaggerPage(language: Language): Page {
  const note = `${formatSiteText(language, 'swagger_no_script')} [${formatSiteText(language, 'reference')}](/reference), [${formatSiteText(language, 'openapi_link')}](/openapi.json).`
  return {
    path: '/swagger',
    title: formatSiteText(language, 'swagger_title'),
    summary: formatSiteText(language, 'swagger_lead'),
    pieces: [
      {
        markdown: note,
        html: (link, { isSandbox }) =>
          html`${isSandbox ? html`<p class="note">${formatSiteText(language, 'swagger_visitor')}</p>` : ''}<noscript><p class="note">${formatSiteText(language, 'swagger_no_script')} <a href="${link('/reference')}">${formatSiteText(language, 'reference')}</a></p></noscript><div id="swagger-ui" data-contract="/openapi.json?lang=${language}"${isSandbox ? html` data-visitor="${visitorToken.path}"` : ''}></div>`,
      },
    ],
    trail: [],
    section: 'swagger',
    form: 'wide',
    assets: ['swagger-ui.css', 'swagger.css', 'swagger-ui-bundle.js', 'swagger.js'],
  }
}
