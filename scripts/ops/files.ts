/** Reads what the folder `ops` asks Prometheus: the queries of the dashboards and the expressions of the alerts. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export const opsFolder = join(import.meta.dirname, '../../ops')

/** A query, with the place that a failure names. */
export interface Query {
  readonly place: string
  readonly expr: string
}

export interface Alert {
  readonly name: string
  readonly expr: string
  readonly severity: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly runbook_url: string | undefined
}

/** How often an alert of a file of tests is expected to fire, and to be silent. */
export interface Expectations {
  fires: number
  silent: number
}

const text = z.string().min(1)
const datasource = z.object({ type: z.literal('prometheus'), uid: z.literal(`\${datasource}`) })
const panel = z.object({
  id: z.int(),
  title: text,
  description: text,
  datasource,
  fieldConfig: z.object({ defaults: z.object({ unit: text }) }),
  gridPos: z.object({ x: z.int().min(0), y: z.int().min(0), w: z.int().max(24), h: z.int() }),
  targets: z.array(z.object({ refId: text, datasource, expr: text, legendFormat: text })).min(1),
})
const dashboard = z.object({
  uid: text,
  title: text,
  description: text,
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(z.object({ name: text, type: text })) }),
  panels: z.array(panel).min(1),
})
export type Dashboard = z.infer<typeof dashboard> & { readonly file: string }

/** Reads all dashboards. Throws if one is not as we write them, such as a panel without a unit or a description. */
export function readDashboards(): Dashboard[] {
  const folder = join(opsFolder, 'grafana')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, ...dashboard.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))) }))
}

export function listQueries(dashboards: readonly Dashboard[]): Query[] {
  return dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ refId, expr }) => ({ place: `${file}: ${title} ${refId}`, expr })),
    ),
  )
}

/** Reads the alerts. */
export function readAlerts(): Alert[] {
  return parseAlerts(readFileSync(join(opsFolder, 'alerts.yaml'), 'utf8'))
}

/**
 * Parses the file of alerts as we write it: one value a line, or a folded one (`>-`). No YAML parser is a dependency of
 * the project; promtool reads the file in full.
 */
export function parseAlerts(yaml: string): Alert[] {
  return yaml
    .split(/^ *- alert: /m)
    .slice(1)
    .map((block) => ({
      name: block.slice(0, block.indexOf('\n')),
      expr: readValue(block, 'expr') ?? '',
      severity: readValue(block, 'severity'),
      summary: readValue(block, 'summary'),
      description: readValue(block, 'description'),
      runbook_url: readValue(block, 'runbook_url'),
    }))
}

function readValue(block: string, key: string): string | undefined {
  const folded = new RegExp(`^( *)${key}: >-\\n((?:\\1 +.*\\n)+)`, 'm').exec(block)?.[2]
  if (folded !== undefined) return folded.trim().replaceAll(/\s*\n\s*/g, ' ')
  const [, value] = new RegExp(`^ *${key}: (.+)$`, 'm').exec(block) ?? []
  return value?.replace(/^"(.*)"$/, '$1')
}

/** Counts how often each alert is expected to fire, and to be silent, in the tests for promtool. */
export function readExpectations(): Map<string, Expectations> {
  const yaml = readFileSync(join(opsFolder, 'alerts.test.yaml'), 'utf8')
  const found = new Map<string, Expectations>()
  for (const [, name = '', rest] of yaml.matchAll(/alertname: (\w+)\n +exp_alerts:(.*)/g)) {
    const counts = found.get(name) ?? { fires: 0, silent: 0 }
    if (rest?.trim() === '[]') counts.silent += 1
    else counts.fires += 1
    found.set(name, counts)
  }
  return found
}
