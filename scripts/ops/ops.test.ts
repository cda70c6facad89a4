/** The dashboards and the alerts: complete, about metrics that the gateway has, each alert with a runbook and tests. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../packages/gateway/src/contract/language.ts'
import { buildDocPage } from '../../packages/gateway/src/pages/docs/doc-page.ts'
import { formatSupervisorMetrics } from '../../packages/gateway/src/start/supervisor-metrics.ts'
import { adminToken, openTestGateway, type TestGateway } from '../../packages/gateway/tests/harness.ts'
import { listQueries, parseAlerts, readAlerts, readDashboards, readExpectations } from './files.ts'
import { type KnownMetric, listDeclaredMetrics, listMetricNames, listUnknownNames } from './metric-names.ts'

const dashboards = readDashboards()
const alerts = readAlerts()
const schemaOfGrafana11 = 39
const severities = ['critical', 'warning']

describe('the names of metrics in an expression', () => {
  it.each([
    ['up{job="a_b"} == 0 or absent(up)', ['up']],
    ['histogram_quantile(0.95, sum by (le, route) (rate(a_bucket{b=~"c{2}"}[5m])))', ['a_bucket']],
    ['sum(rate(a_total[$__rate_interval])) / on (job) group_left (x) b', ['a_total', 'b']],
    ['(sum(a) or vector(0)) / 1e3 + time() offset 5m', ['a']],
    ['a > bool 1 and b:c unless d', ['a', 'b:c', 'd']],
  ])('are found in %s', (expr, names) => {
    expect(listMetricNames(expr).sort()).toEqual(names)
  })
})

describe('the metrics of the gateway', () => {
  let house: TestGateway
  let known: KnownMetric[]
  beforeAll(async () => {
    house = await openTestGateway({ unfilled: true })
    const ofProcess = await house.gateway.memory.metrics.registry.metrics()
    known = listDeclaredMetrics(ofProcess + formatSupervisorMetrics({ processes: 2, restarts: 0 }))
  })
  afterAll(() => house.close())

  it('include every metric of the dashboards and the alerts', () => {
    const queries = [
      ...listQueries(dashboards),
      ...alerts.map(({ name, expr }) => ({ place: `alerts.yaml: ${name}`, expr })),
    ]
    expect(queries.filter(({ expr }) => listMetricNames(expr).length === 0)).toEqual([])
    const unknown = queries.flatMap(({ place, expr }) =>
      listUnknownNames(expr, known).map((name) => `${place}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('let ServerErrors tell calls from health checks, scrapes and pages', async () => {
    const listCounted = () => listCountedRequests(house, 'ServerErrors')
    const headers = { accept: 'text/html', 'x-admin-token': adminToken }
    const send = async (path: string) => (await fetch(`${house.url}${path}`, { headers })).status
    // The stock has not been read.
    expect(await send('/readyz')).toBe(503)
    expect(await send('/docs/nowhere')).toBe(404)
    for (const path of ['/livez', '/statusz', '/metrics', '/']) expect(await send(path)).toBe(200)
    expect(await listCounted()).toEqual([])
    expect(await send('/api/v1/me')).toBe(401)
    expect(await listCounted()).toHaveLength(1)
  })

  it('let PagesFail count the pages that fail inside, and nothing else', async () => {
    const { requests } = house.gateway.memory.metrics
    expect((await fetch(`${house.url}/docs/nowhere`)).status).toBe(404)
    requests.endPage('GET', 'pages', 503, 1)
    expect(await listCountedRequests(house, 'PagesFail')).toEqual([])
    requests.endPage('GET', 'pages', 500, 1)
    expect(await listCountedRequests(house, 'PagesFail')).toEqual([
      expect.stringContaining('error_type="500"'),
    ])
  })

  it('are all on a dashboard', () => {
    const shown = new Set(
      listQueries(dashboards).flatMap(({ expr }) =>
        listMetricNames(expr).map((name) => name.replace(/_(?:bucket|sum|count)$/, '')),
      ),
    )
    expect(known.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
  })
})

describe('the dashboards', () => {
  it('are five, with addresses and titles of their own', () => {
    expect(dashboards).toHaveLength(5)
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(5)
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(5)
  })

  it.each(dashboards)('$file has variables, and panels of its own that do not overlap', (dashboard) => {
    expect(dashboard.schemaVersion).toBe(schemaOfGrafana11)
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance'])
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...cells.map((cell) => Number(cell.split(' ', 1)[0])))).toBeLessThan(24)
  })

  it('ask only for the chosen processes', () => {
    const unfiltered = listQueries(dashboards).filter(
      ({ expr }) => listMetricNames(expr).length > (expr.match(/instance=~"\$instance"/g) ?? []).length,
    )
    expect(unfiltered).toEqual([])
  })
})

describe('the alerts', () => {
  it('have names of their own', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(10)
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length)
  })

  it.each(alerts)(
    '$name has a severity, a summary and a description',
    ({ severity, summary, description }) => {
      expect(severities).toContain(severity)
      expect(summary).toMatch(/^[A-Z]/)
      expect(description).toMatch(/\.$/)
    },
  )

  it.each(alerts)('$name is tested to fire and to be silent', ({ name }) => {
    const { fires = 0, silent = 0 } = readExpectations().get(name) ?? {}
    expect(fires).toBeGreaterThan(0)
    // Silent while all is well, and at least once just before it fires or without its cause.
    expect(silent).toBeGreaterThan(1)
  })

  it.each(languages)(
    'have a runbook each in %s, which names the alert, and no others have one',
    (language) => {
      const page = buildDocPage('runbooks', language)
      const ids = page?.pieces.flatMap((piece) => piece.ids ?? [])
      expect(page?.pieces.some(({ isStale }) => isStale)).toBe(false)
      expect(alerts.map(({ runbook_url }) => runbook_url)).toEqual(ids?.map((id) => `/docs/runbooks#${id}`))
      expect(alerts.map(({ name }) => toKebabCase(name))).toEqual(ids)
      if (language === 'en') return
      const headings = page?.pieces.flatMap(({ markdown }) => markdown.match(/^## .*$/gm) ?? []) ?? []
      expect(alerts.filter(({ name }, at) => !headings[at]?.includes(name))).toEqual([])
    },
  )

  it('are read with folded and quoted values', () => {
    const yaml = '  - alert: A\n    expr: >-\n      up\n      == 0\n    labels:\n      severity: "x"\n'
    expect(parseAlerts(yaml)).toMatchObject([{ name: 'A', expr: 'up == 0', severity: 'x' }])
  })
})

/** Lists the series of requests that an alert counts. */
async function listCountedRequests({ gateway }: TestGateway, alert: string): Promise<string[]> {
  const expr = alerts.find(({ name }) => name === alert)?.expr ?? ''
  const selectors = [...expr.matchAll(/\{([^}]*)\}/g)].map(([, selector = '']) => selector)
  const text = await gateway.memory.metrics.registry.metrics()
  const series = text.match(/^http_server_request_duration_seconds_count.*$/gm) ?? []
  return series.filter((line) => selectors.some((selector) => isSelected(line, selector)))
}

/** Whether a line of `/metrics` has the labels that a selector of PromQL asks for. */
function isSelected(line: string, selector: string): boolean {
  return [...selector.matchAll(/(\w+)([!=]~|!?=)"([^"]*)"/g)].every(
    ([, label, operator = '', value = '']) => {
      const [, actual = ''] = new RegExp(`[{,]${label}="([^"]*)"`).exec(line) ?? []
      const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value
      return operator.startsWith('!') ? !isEqual : isEqual
    },
  )
}

function toKebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}
