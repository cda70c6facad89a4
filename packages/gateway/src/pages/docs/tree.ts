/** The documentation's pages in reading order. Every page that is not generated is `docs/<language>/<path>.md`. */
export const docGroups = [
  { id: 'start', pages: ['quickstart', 'tutorial', 'sdk', 'cli'] },
  {
    id: 'guides',
    pages: [
      'guides/two-grants',
      'guides/keep-stock-in-sync',
      'guides/wholesale-order',
      'guides/dropship-order',
      'guides/cancel-and-release',
      'guides/retries-and-idempotency',
      'guides/receive-webhooks',
      'guides/reconcile-a-month',
      'guides/points-and-limits',
      'guides/migrate-from-api',
    ],
  },
  { id: 'agents', pages: ['agents/connect-an-agent'] },
  { id: 'sandbox', pages: ['sandbox'] },
  { id: 'erp', pages: ['erp/connect-an-erp', 'erp/connect-an-erp-in-a-day', 'erp/capabilities-of-erps'] },
  {
    id: 'operate',
    pages: [
      'operate',
      'deploy',
      'capacity',
      'backup',
      'security',
      'console',
      'monitor',
      'runbooks',
      'configuration',
    ],
  },
  { id: 'project', pages: ['promises', 'glossary', 'versioning', 'changelog'] },
] as const

export type DocGroupId = (typeof docGroups)[number]['id']
export type DocPath = (typeof docGroups)[number]['pages'][number]

/** Pages generated from values: the settings from their declarations, the changelog from its file. */
export const generatedDocs = ['configuration', 'changelog'] as const satisfies readonly DocPath[]

export const docPaths: readonly DocPath[] = docGroups.flatMap(({ pages }): readonly DocPath[] => pages)

/** The pages that are written and translated by hand. */
export const writtenDocs: readonly DocPath[] = docPaths.filter(
  (path) => !generatedDocs.some((generated) => generated === path),
)

/** The file of the call that the home page shows. It is no page; `npm run samples` runs it like one. */
export const firstCallDoc = 'home'
