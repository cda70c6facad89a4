import { errorCodes, isErrorCode } from '../contract/error-table.ts'
import { groupIds } from '../contract/groups.ts'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import { chooseTexts, type DocumentedEndpoint } from '../endpoint.ts'
import { toRecord } from '../kernel/json.ts'
import { describePaths, documentedEndpoints } from '../projections/openapi.ts'
import { buildDocPage, buildDocsIndex, toDocPath } from './docs/doc-page.ts'
import { docPaths } from './docs/tree.ts'
import { families } from './errors/advice.ts'
import { buildErrorIndexPieces, buildErrorPieces, findNeighbours } from './errors/error-page.ts'
import { buildHomePage } from './home.ts'
import { formatSiteText, type Link, type NavGroup, type Page } from './page.ts'
import { buildEndpointPieces, type EndpointDescription } from './reference/endpoint-page.ts'
import { buildReferencePieces } from './reference/overview.ts'
import { buildSwaggerPage } from './swagger.ts'

/** Lists the paths of all pages, in the same order as the lists on the site. */
export function listPagePaths(): string[] {
  return [
    '/',
    '/docs',
    ...docPaths.map(toDocPath),
    '/reference',
    ...documentedEndpoints.map(({ id }) => `/reference/${id}`),
    '/errors',
    ...errorCodes.map((code) => `/errors/${code}`),
    '/swagger',
  ]
}

/** Builds the page at a path; undefined if there is none. */
export function findPage(path: string, language: Language): Page | undefined {
  if (path === '/') return buildHomePage(language)
  if (path === '/docs') return buildDocsIndex(language)
  if (path === '/swagger') return buildSwaggerPage(language)
  if (path === '/reference') return buildReferenceIndex(language)
  if (path === '/errors') return buildErrorIndex(language)
  const [, first, ...rest] = path.split('/')
  const name = rest.join('/')
  if (first === 'reference') return buildEndpointPage(name, language)
  if (first === 'errors') return buildErrorPage(name, language)
  const doc = docPaths.find((each) => toDocPath(each) === path)
  return doc && buildDocPage(doc, language)
}

function buildReferenceIndex(language: Language): Page {
  return {
    path: '/reference',
    title: formatSiteText(language, 'reference_title'),
    summary: formatSiteText(language, 'reference_lead'),
    pieces: buildReferencePieces(documentedEndpoints, language),
    trail: [],
    side: buildReferenceNav(language),
    section: 'reference',
  }
}

/** Builds the navigation of the reference: endpoints by group, each with its method and summary. */
function buildReferenceNav(language: Language): NavGroup[] {
  return groupIds.flatMap((id) => {
    const links = documentedEndpoints
      .filter(({ group }) => group === id)
      .map((endpoint) => toEndpointLink(endpoint, language))
    return links.length > 0 ? [{ title: formatSiteText(language, `group_of_${id}`), links }] : []
  })
}

function toEndpointLink(endpoint: DocumentedEndpoint | undefined, language: Language): Link {
  if (!endpoint) return { text: formatSiteText(language, 'reference'), href: '/reference' }
  const text = chooseTexts(endpoint, language).summary
  return { text, href: `/reference/${endpoint.id}`, tag: endpoint.method }
}

const describedBy = new Map<Language, Record<string, unknown>>()

function readEndpointDescription(endpoint: DocumentedEndpoint, language: Language): EndpointDescription {
  const document = describedBy.get(language) ?? toRecord(describePaths(language))
  describedBy.set(language, document)
  const item = toRecord(toRecord(document.paths)[endpoint.path])
  const components = toRecord(toRecord(document.components).schemas)
  return { operation: toRecord(item[endpoint.method.toLowerCase()]), components }
}

function buildEndpointPage(id: string, language: Language): Page | undefined {
  const at = documentedEndpoints.findIndex((endpoint) => endpoint.id === id)
  const endpoint = documentedEndpoints[at]
  if (!endpoint) return undefined
  const [before, after] = [documentedEndpoints[at - 1], documentedEndpoints[at + 1]]
  const { summary } = chooseTexts(endpoint, language)
  return {
    path: `/reference/${id}`,
    title: summary,
    summary: `\`${endpoint.method} ${endpoint.path}\``,
    pieces: buildEndpointPieces(endpoint, readEndpointDescription(endpoint, language), language),
    trail: [
      { text: formatSiteText(language, 'reference'), href: '/reference' },
      { text: formatSiteText(language, `group_of_${endpoint.group}`), href: `/reference#${endpoint.group}` },
    ],
    previous: before ? toEndpointLink(before, language) : undefined,
    next: after ? toEndpointLink(after, language) : undefined,
    side: buildReferenceNav(language),
    section: 'reference',
    form: 'endpoint',
    operation: endpoint,
  }
}

function buildErrorNav(language: Language): NavGroup[] {
  return families.map(({ id, codes }) => ({
    title: formatSiteText(language, `errors_of_${id}`),
    links: codes.map((code) => ({ text: code, href: `/errors/${code}` })),
  }))
}

function buildErrorIndex(language: Language): Page {
  return {
    path: '/errors',
    title: formatSiteText(language, 'errors_title'),
    summary: formatSiteText(language, 'errors_lead'),
    pieces: buildErrorIndexPieces(language),
    trail: [],
    side: buildErrorNav(language),
    section: 'errors',
  }
}

function buildErrorPage(code: string, language: Language): Page | undefined {
  if (!isErrorCode(code)) return undefined
  const [before, after] = findNeighbours(code)
  const toLink = (to: typeof before) => (to ? { text: to, href: `/errors/${to}` } : undefined)
  return {
    path: `/errors/${code}`,
    title: code,
    summary: texts[language].errors[code].title,
    pieces: buildErrorPieces(code, language),
    trail: [{ text: formatSiteText(language, 'errors'), href: '/errors' }],
    previous: toLink(before),
    next: toLink(after),
    side: buildErrorNav(language),
    section: 'errors',
  }
}
