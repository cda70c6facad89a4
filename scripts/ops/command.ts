/**
 * Checks the folder `ops` against real programs: promtool on the alerts, their tests and `/metrics`; then a Prometheus on
 * loopback that scrapes a sandbox gateway. It runs every query of the dashboards and every alert, first while all is
 * well and then with an ERP that does not respond. `.ci/prometheus.sh` runs this.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runPlainCommand } from '../../packages/gateway/src/kernel/plain-command.ts'
import { formatSupervisorMetrics } from '../../packages/gateway/src/start/supervisor-metrics.ts'
import { StartedProcess } from '../../packages/trials/src/child-process.ts'
import { listQueries, opsFolder, type Query, readAlerts, readDashboards } from './files.ts'
import { listDeclaredMetrics, listMetricNames, listUnknownNames } from './metric-names.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'
import { type Sandbox, sandboxFile, sendReads, sendTraffic } from './traffic.ts'

const usage = `Usage: npm run ops

Checks the folder ops with promtool and with a Prometheus that scrapes a sandbox gateway. Requires both programs.
`
const mainFile = join(import.meta.dirname, '../../packages/gateway/src/main.ts')
const startTimeoutMs = 60_000
const seriesTimeoutMs = 20_000
const alertTimeoutMs = 20_000
const betweenTriesMs = 500

/** The alerts that an ERP without responses raises here. Stock takes two minutes to become old. */
const raisedByErp: ReadonlySet<string> = new Set(['ErpDown', 'CircuitOpen'])

/** The variables of the dashboards, as Grafana would fill them in. */
const variables: readonly (readonly [string, string])[] = [
  ['$__rate_interval', '30s'],
  ['$__range', '30s'],
  ['$instance', '.*'],
]

/** Only a supervisor has these metrics, and several processes require PostgreSQL. */
const ofSupervisor = listDeclaredMetrics(formatSupervisorMetrics({ processes: 2, restarts: 0 }))
const isOfSupervisor = ({ expr }: Query) =>
  listMetricNames(expr).some((name) => ofSupervisor.some((metric) => metric.name === name))

interface World {
  readonly gateway: StartedProcess
  readonly sandbox: Sandbox
  readonly prometheus: Prometheus
}

async function check(): Promise<number> {
  runPromtool('check', 'rules', join(opsFolder, 'alerts.yaml'))
  runPromtool('test', 'rules', join(opsFolder, 'alerts.test.yaml'))
  runPromtool('check', 'config', '--syntax-only', join(opsFolder, 'prometheus.yml'))
  const folder = mkdtempSync(join(tmpdir(), 'ops-'))
  const gateway = startGateway(folder)
  let prometheus: Prometheus | undefined
  try {
    await gateway.waitForText('Trade Gateway is ready at', 'stderr', { timeoutMs: startTimeoutMs })
    const sandbox = sandboxFile.parse(JSON.parse(readFileSync(join(folder, 'data/sandbox.json'), 'utf8')))
    prometheus = startPrometheus(folder, sandbox.base_url)
    await tryUntil(startTimeoutMs, 'Prometheus did not start', prometheus.isReady)
    await sendTraffic(sandbox)
    await checkMetrics(sandbox)
    await checkHealthy({ gateway, sandbox, prometheus })
    await checkErpDown({ gateway, sandbox, prometheus })
  } finally {
    await prometheus?.stop()
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return 0
}

function startGateway(folder: string): StartedProcess {
  const env = {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    METRICS_PUBLIC: '1',
    SANDBOX_STYLES: '40',
    SANDBOX_ACTIVITY: '600',
    LOG_LEVEL: 'error',
  }
  return new StartedProcess({ name: 'The gateway', args: [mainFile], cwd: folder, env })
}

/** Runs promtool. Throws with what it printed if it complains. */
function runPromtool(...args: readonly string[]) {
  execFileSync('promtool', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  report(`promtool ${args.slice(0, 2).join(' ')}: clean`)
}

/** Checks `/metrics` with promtool, and that it has every metric that the folder names. */
async function checkMetrics({ base_url }: Sandbox): Promise<void> {
  const input = await (await fetch(`${base_url}/metrics`)).text()
  execFileSync('promtool', ['check', 'metrics'], { input, stdio: ['pipe', 'inherit', 'inherit'] })
  const known = [...listDeclaredMetrics(input), ...ofSupervisor]
  const alerts = readAlerts().map(({ name, expr }) => ({ place: name, expr }))
  const unknown = [...listQueries(readDashboards()), ...alerts].flatMap(({ place, expr }) =>
    listUnknownNames(expr, known).map((name) => `${place}: ${name} is not in /metrics`),
  )
  if (unknown.length > 0) throw new Error(unknown.join('\n'))
  report(
    `promtool check metrics: clean, ${known.length} metrics, ${ofSupervisor.length} of them of a supervisor`,
  )
}

/** Waits until every query of the dashboards returns series, and checks that no alert fires. */
async function checkHealthy({ sandbox, prometheus }: World): Promise<void> {
  const queries = listQueries(readDashboards()).filter((query) => !isOfSupervisor(query))
  let empty: readonly Query[] = queries
  const readEmpty = async () => {
    await sendReads(sandbox)
    empty = await listEmpty(prometheus, empty)
    return empty.length === 0
  }
  await tryUntil(seriesTimeoutMs, () => `no series:\n${empty.map(formatQuery).join('\n')}`, readEmpty)
  report(`all ${queries.length} queries of the dashboards return series`)

  const rules = await prometheus.readRules()
  const bad = rules.filter(({ health, state }) => health !== 'ok' || state !== 'inactive')
  if (rules.length !== readAlerts().length || bad.length > 0)
    throw new Error(`not every alert is evaluated and silent: ${JSON.stringify(bad)}`)
  report(`${rules.length} alerts are evaluated, and none fires while all is well`)
}

/** Stops the ERP's process for a while, and waits until the alert fires. The gateway itself stays ready. */
async function checkErpDown({ gateway, sandbox, prometheus }: World): Promise<void> {
  const erp = readErpPid(gateway.pid)
  process.kill(erp, 'SIGSTOP')
  try {
    await tryUntil(alertTimeoutMs, 'ErpDown does not fire although the ERP does not respond', async () =>
      (await prometheus.readRules()).some(({ name, state }) => name === 'ErpDown' && state === 'firing'),
    )
    for (const path of ['/livez', '/readyz']) {
      const { status } = await fetch(`${sandbox.base_url}${path}`)
      if (status !== 200) throw new Error(`${path} is ${status} while the ERP does not respond`)
    }
    const others = (await prometheus.readRules()).filter(
      ({ name, state }) => state !== 'inactive' && !raisedByErp.has(name),
    )
    if (others.length > 0) throw new Error(`other alerts fire as well: ${JSON.stringify(others)}`)
  } finally {
    process.kill(erp, 'SIGCONT')
  }
  await tryUntil(alertTimeoutMs, 'ErpDown does not end', async () =>
    (await prometheus.readRules()).every(({ state }) => state === 'inactive'),
  )
  report('ErpDown fires while the ERP does not respond, and ends when it responds again')
}

/** Returns the process id of the gateway's sandbox ERP. The gateway may also be building the console. */
function readErpPid(gateway: number): number {
  const children = readFileSync(`/proc/${gateway}/task/${gateway}/children`, 'utf8').trim().split(' ')
  const erp = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox-erp'))
  if (!erp) throw new Error('the gateway has no sandbox ERP')
  return Number(erp)
}

async function listEmpty(prometheus: Prometheus, queries: readonly Query[]): Promise<Query[]> {
  const counts = await Promise.all(queries.map(({ expr }) => prometheus.countSeries(fillIn(expr))))
  return queries.filter((_query, at) => counts[at] === 0)
}

function fillIn(expr: string): string {
  return variables.reduce((text, [name, value]) => text.replaceAll(name, value), expr)
}

function formatQuery({ place, expr }: Query): string {
  return `  ${place}: ${expr}`
}

/** Repeats a test until it succeeds. Throws with the complaint after a time. */
async function tryUntil(timeoutMs: number, complaint: string | (() => string), test: () => Promise<boolean>) {
  for (let tries = 0; tries * betweenTriesMs < timeoutMs; tries++) {
    if (await test()) return
    await wait(betweenTriesMs)
  }
  throw new Error(typeof complaint === 'string' ? complaint : complaint())
}

function report(text: string) {
  process.stdout.write(`${text}\n`)
}

await runPlainCommand(usage, check)
