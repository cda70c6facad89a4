import { adminCatalogue, catalogue, endpointIdOf, sandboxCatalogue } from '../catalogue.ts'
import { recordOf } from '../contract/describe-fields.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { errorCodes, isErrorCode } from '../contract/errors.ts'
import { groupIds, groupOf } from '../contract/groups.ts'
import type { Language } from '../contract/language.ts'
import { describedPaths } from '../contract/openapi.ts'
import { texts } from '../contract/texts/texts.ts'
import { docHref, docPage, docsIndex } from './docs/doc-page.ts'
import { docPaths } from './docs/tree.ts'
import { families } from './errors/advice.ts'
import { errorIndexPieces, errorPieces, neighbours } from './errors/error-page.ts'
import { homePage } from './home.ts'
import { type Link, type NavGroup, type Page, word } from './page.ts'
import { type Described, endpointPieces } from './reference/endpoint-page.ts'
import { referencePieces } from './reference/overview.ts'
import { swaggerPage } from './swagger.ts'

/** The endpoints that have a page: the contract's, the operator's, the sandbox's. */
export const documented: readonly Endpoint[] = [...catalogue, ...adminCatalogue, ...sandboxCatalogue]

/** Where every page stands, in the order in which the lists name them. */
export function pagePaths(): string[] {
  return [
    '/',
    '/docs',
    ...docPaths.map(docHref),
    '/reference',
    ...documented.map(({ id }) => `/reference/${id}`),
    '/errors',
    ...errorCodes.map((code) => `/errors/${code}`),
    '/swagger',
  ]
}

/** The page at a path in a language; undefined where there is none. */
export function pageAt(path: string, language: Language): Page | undefined {
  if (path === '/') return homePage(language)
  if (path === '/docs') return docsIndex(language)
  if (path === '/swagger') return swaggerPage(language)
  if (path === '/reference') return referenceIndex(language)
  if (path === '/errors') return errorIndex(language)
  const [, first, ...rest] = path.split('/')
  const name = rest.join('/')
  if (first === 'reference') return endpointPage(name, language)
  if (first === 'errors') return errorPage(name, language)
  const doc = docPaths.find((each) => docHref(each) === path)
  return doc && docPage(doc, language)
}

function referenceIndex(language: Language): Page {
  return {
    path: '/reference',
    title: word(language, 'reference_title'),
    summary: word(language, 'reference_lead'),
    pieces: referencePieces(documented, language),
    trail: [],
    side: referenceNav(language),
    section: 'reference',
  }
}

/** Endpoints under their groups; operations are named by what they do, the method before it. */
function referenceNav(language: Language): NavGroup[] {
  return groupIds.flatMap((id) => {
    const links = documented
      .filter((endpoint) => groupOf(endpoint.id) === id)
      .map((endpoint) => endpointLink(endpoint, language))
    return links.length > 0 ? [{ title: word(language, `group_of_${id}`), links }] : []
  })
}

function endpointLink(endpoint: Endpoint | undefined, language: Language): Link {
  if (!endpoint) return { text: word(language, 'reference'), href: '/reference' }
  const text = texts[language].endpoints[endpointIdOf(endpoint)].summary
  return { text, href: `/reference/${endpoint.id}`, tag: endpoint.method }
}

const describedBy = new Map<Language, Record<string, unknown>>()

function describedIn(endpoint: Endpoint, language: Language): Described {
  const document = describedBy.get(language) ?? recordOf(describedPaths(documented, language))
  describedBy.set(language, document)
  const item = recordOf(recordOf(document.paths)[endpoint.path])
  const components = recordOf(recordOf(document.components).schemas)
  return { operation: recordOf(item[endpoint.method.toLowerCase()]), components }
}

function endpointPage(id: string, language: Language): Page | undefined {
  const at = documented.findIndex((endpoint) => endpoint.id === id)
  const endpoint = documented[at]
  if (!endpoint) return undefined
  const [before, after] = [documented[at - 1], documented[at + 1]]
  const { summary } = texts[language].endpoints[endpointIdOf(endpoint)]
  return {
    path: `/reference/${id}`,
    title: summary,
    summary: `\`${endpoint.method} ${endpoint.path}\``,
    pieces: endpointPieces(endpoint, describedIn(endpoint, language), language),
    trail: [
      { text: word(language, 'reference'), href: '/reference' },
      { text: word(language, `group_of_${groupOf(id)}`), href: `/reference#${groupOf(id)}` },
    ],
    previous: before ? endpointLink(before, language) : undefined,
    next: after ? endpointLink(after, language) : undefined,
    side: referenceNav(language),
    section: 'reference',
    operation: endpoint,
  }
}

function errorNav(language: Language): NavGroup[] {
  return families.map(({ id, codes }) => ({
    title: word(language, `errors_of_${id}`),
    links: codes.map((code) => ({ text: code, href: `/errors/${code}` })),
  }))
}

function errorIndex(language: Language): Page {
  return {
    path: '/errors',
    title: word(language, 'errors_title'),
    summary: word(language, 'errors_lead'),
    pieces: errorIndexPieces(language),
    trail: [],
    side: errorNav(language),
    section: 'errors',
  }
}

function errorPage(code: string, language: Language): Page | undefined {
  if (!isErrorCode(code)) return undefined
  const [before, after] = neighbours(code)
  const link = (to: typeof before) => (to ? { text: to, href: `/errors/${to}` } : undefined)
  return {
    path: `/errors/${code}`,
    title: code,
    summary: texts[language].errors[code].title,
    pieces: errorPieces(code, language),
    trail: [{ text: word(language, 'errors'), href: '/errors' }],
    previous: link(before),
    next: link(after),
    side: errorNav(language),
    section: 'errors',
  }
}
