/** A Prometheus of its own on loopback, for the time of a check, and the parts of its API that the check reads. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { StartedProcess } from '../../packages/trials/src/child-process.ts'
import { opsFolder } from './files.ts'

const port = 28090
const base = `http://127.0.0.1:${port}`
const requestTimeoutMs = 5_000
/** The job of `ops/prometheus.yml`, which an alert names. */
const job = 'trade-gateway'

const queryResult = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z.object({ result: z.array(z.unknown()) }).optional(),
})
const rulesResult = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ name: z.string(), health: z.string(), state: z.string() })),
      }),
    ),
  }),
})
export type RuleState = z.infer<typeof rulesResult>['data']['groups'][number]['rules'][number]

export interface Prometheus {
  /** Returns the number of series of an expression. Throws if Prometheus cannot parse or evaluate it. */
  countSeries(expr: string): Promise<number>
  /** Returns each alert with its state (`inactive`, `pending`, `firing`) and its health. */
  readRules(): Promise<RuleState[]>
  /** Whether Prometheus responds. */
  isReady(): Promise<boolean>
  stop(): Promise<void>
}

/**
 * Starts a Prometheus that scrapes a gateway twice a second. It loads the alerts without their `for`, because the check
 * has no minutes to wait; promtool tests these times. Throws `ProcessFailed` if it cannot run.
 */
export function startPrometheus(folder: string, gatewayUrl: string): Prometheus {
  const alerts = readFileSync(join(opsFolder, 'alerts.yaml'), 'utf8').replaceAll(/^ +for: .*\n/gm, '')
  writeFileSync(join(folder, 'alerts.yaml'), alerts)
  const target = new URL(gatewayUrl).host
  const configuration = [
    'global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}',
    'rule_files: [alerts.yaml]',
    `scrape_configs: [{job_name: ${job}, static_configs: [{targets: ['${target}']}]}]`,
  ]
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, `${configuration.join('\n')}\n`)
  const child = new StartedProcess({
    name: 'Prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
  })
  return { countSeries, readRules, isReady: () => isReady(child), stop: () => child.stop() }
}

async function isReady(child: StartedProcess): Promise<boolean> {
  child.ended.throwIfAborted()
  return fetch(`${base}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function countSeries(expr: string): Promise<number> {
  const { status, error, data } = queryResult.parse(
    await get(`/api/v1/query?${new URLSearchParams({ query: expr })}`),
  )
  if (status !== 'success') throw new Error(`Prometheus refuses a query: ${error}: ${expr}`)
  return data?.result.length ?? 0
}

async function readRules(): Promise<RuleState[]> {
  const { data } = rulesResult.parse(await get('/api/v1/rules'))
  return data.groups.flatMap(({ rules }) => rules)
}

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(requestTimeoutMs) })
  return response.json()
}
