import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { quietMs, shutdownLimits } from '../../packages/gateway/src/http/drain.ts'
import { Networks } from '../../packages/gateway/src/kernel/networks.ts'
import { maxSessions } from '../../packages/gateway/src/store/postgres.ts'
import { readRootFile, root } from '../production-packages.ts'

const manifest = z.object({ name: z.string(), workspaces: z.array(z.string()).default([]) })
const compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      stop_grace_period: z.string().optional(),
      networks: z.union([z.array(z.string()), z.object({ inside: z.object({ ipv4_address: z.string() }) })]),
      secrets: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
    }),
  ),
  networks: z.object({
    inside: z.object({
      ipam: z.object({ config: z.tuple([z.object({ subnet: z.string(), ip_range: z.string() })]) }),
    }),
  }),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})
const probe = z.object({ httpGet: z.object({ path: z.string() }) })
const deployment = z.object({
  spec: z.object({
    strategy: z.object({ rollingUpdate: z.object({ maxSurge: z.number() }) }),
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.array(
          z.object({
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }),
            startupProbe: probe,
            livenessProbe: probe,
            readinessProbe: probe,
          }),
        ),
        volumes: z.array(
          z.object({
            name: z.string(),
            secret: z.object({ items: z.array(z.object({ key: z.string(), path: z.string() })) }).optional(),
          }),
        ),
      }),
    }),
  }),
})

const dockerfile = readRootFile('Dockerfile')
const unit = readRootFile('deploy/systemd/trade-gateway.service')
const page = readRootFile('docs/en/deploy.md')
const gateways = ['gateway-1', 'gateway-2']
const readCompose = () => compose.parse(parse(readRootFile('compose.yaml'), { merge: true }))
const readDeployment = () => deployment.parse(parse(readRootFile('deploy/kubernetes/deployment.yaml'))).spec
/** Reads the number that a pattern finds; NaN if it finds none, so that no comparison holds. */
const readNumber = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)
const shutdownSeconds = (shutdownLimits.acceptMs + shutdownLimits.finishMs + shutdownLimits.closeMs) / 1000

describe('the time to stop', () => {
  it('is longer than a shutdown takes, in every file', () => {
    const { spec } = readDeployment().template
    const waits = spec.containers.map(({ lifecycle }) => lifecycle.preStop.sleep.seconds)
    expect(spec.terminationGracePeriodSeconds - Math.max(...waits)).toBeGreaterThan(shutdownSeconds)
    expect(readNumber(unit, /^TimeoutStopSec=(\d+)$/m)).toBeGreaterThan(shutdownSeconds)
    const { services } = readCompose()
    for (const name of gateways)
      expect(Number(services[name]?.stop_grace_period?.replace('s', ''))).toBeGreaterThan(shutdownSeconds)
  })

  it('leaves nginx no idle connection that the gateway closes first', () => {
    const [upstream = ''] = /upstream gateway \{[^}]*\}/.exec(readRootFile('deploy/nginx/nginx.conf')) ?? []
    const [, seconds = ''] = /keepalive_timeout (\d+)s;/.exec(upstream) ?? []
    expect(Number(seconds) * 1000).toBeLessThan(quietMs)
  })
})

describe('the unit of systemd', () => {
  it('lets the start lower the priority of helper threads, and ends no process for a call', () => {
    const filters = [...unit.matchAll(/^SystemCallFilter=(.+)$/gm)].map(([, names = '']) => names)
    const lastRefusal = filters.findLastIndex((names) => names.startsWith('~'))
    expect(filters.indexOf('setpriority')).toBeGreaterThan(lastRefusal)
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m)
  })

  it('lets the gateway list the addresses of its machine', () => {
    expect(unit).toMatch(/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m)
  })
})

describe('the addresses of compose.yaml', () => {
  it('are fixed for the gateways, so that nginx finds them there also after a restart', () => {
    const { services, networks } = readCompose()
    const [{ subnet, ip_range }] = networks.inside.ipam.config
    const fixed = gateways.map((name) => {
      const own = services[name]?.networks ?? []
      return 'inside' in own ? own.inside.ipv4_address : ''
    })
    const upstream = readRootFile('deploy/nginx/upstream.conf')
    expect([...upstream.matchAll(/^server (.+):8080 /gm)].map(([, host]) => host)).toEqual(fixed)
    expect(new Set(fixed).size).toBe(gateways.length)
    expect(new Networks([subnet]).includes(ip_range.split('/', 1)[0] ?? '')).toBe(true)
    for (const address of fixed) {
      expect(new Networks([subnet]).includes(address)).toBe(true)
      // Docker gives addresses of the range to the other containers.
      expect(new Networks([ip_range]).includes(address)).toBe(false)
    }
  })

  it('are those of which the gateways believe a forwarded address', () => {
    const { services, networks } = readCompose()
    for (const name of gateways)
      expect(services[name]?.environment.TRUST_PROXY).toBe(networks.inside.ipam.config[0].subnet)
  })
})

describe('the sessions of PostgreSQL', () => {
  /** What the page asks for each process. */
  const perProcess = readNumber(
    page,
    /^\| PostgreSQL \| `max_connections` of at least (\d+) for each process/m,
  )
  const forPeople = 10

  it('are enough for a process, in the table of sizes', () => {
    expect(perProcess).toBeGreaterThanOrEqual(maxSessions)
  })

  it('are enough in compose.yaml for the processes of the page, and one more in each container at a reload', () => {
    const processes = readNumber(page, /^\| `PROCESSES` \|.* at most (\d+)/m)
    const most = readNumber(
      readRootFile('compose.yaml'),
      /^ +command: \[postgres, -c, max_connections=(\d+)\]$/m,
    )
    expect(most).toBeGreaterThanOrEqual(gateways.length * (processes + 1) * maxSessions + forPeople)
    expect(page).toContain(
      `raise \`max_connections\` in \`compose.yaml\` by ${gateways.length * perProcess} for each`,
    )
  })

  it('are stated for the pods of Kubernetes, and the new one of an update', () => {
    const autoscaler = z.object({ spec: z.object({ maxReplicas: z.number() }) })
    const { maxReplicas } = autoscaler.parse(parse(readRootFile('deploy/kubernetes/autoscaler.yaml'))).spec
    const { maxSurge } = readDeployment().strategy.rollingUpdate
    expect(readNumber(page, /^- .*`max_connections` of at least (\d+)/m)).toBe(
      (maxReplicas + maxSurge) * perProcess,
    )
  })
})

describe('the deployment for Kubernetes', () => {
  it('restarts no pod because of the ERP or the database: only readiness asks /readyz', () => {
    for (const { startupProbe, livenessProbe, readinessProbe } of readDeployment().template.spec.containers) {
      expect(startupProbe.httpGet.path).toBe('/livez')
      expect(livenessProbe.httpGet.path).toBe('/livez')
      expect(readinessProbe.httpGet.path).toBe('/readyz')
    }
    // Some platforms restart a container whose own check fails.
    expect(/^HEALTHCHECK .*\n.*$/m.exec(dockerfile)?.[0]).toContain('/livez')
  })

  it('mounts the secrets of its variables, and no others', () => {
    const { containers, volumes } = readDeployment().template.spec
    const named = containers.flatMap(({ env }) => env.map(({ value }) => value))
    const items = volumes.flatMap(({ secret }) => secret?.items ?? [])
    expect(items.map(({ path }) => `/run/secrets/trade-gateway/${path}`)).toEqual(named)
    for (const { key, path } of items) expect(path).toBe(key)
  })
})

describe('the image', () => {
  it('installs with the manifest of every workspace', () => {
    const { workspaces } = manifest.parse(JSON.parse(readRootFile('package.json')))
    for (const folder of workspaces) expect(dockerfile).toContain(`COPY ${folder}/package.json ${folder}/\n`)
    const folders = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
    expect(workspaces.toSorted()).toEqual(folders.toSorted())
  })

  it('has one user in every file', () => {
    const [, user = ''] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? []
    expect(user).not.toBe('')
    expect(readRootFile('deploy/kubernetes/deployment.yaml')).toContain(`runAsUser: ${user}\n`)
  })
})

describe('the secrets', () => {
  it('of compose.yaml are those that make-secrets.sh writes, and no variable has one', () => {
    const { services, secrets } = readCompose()
    const script = readRootFile('deploy/make-secrets.sh')
    const [, random = ''] = /^for name in (.+); do$/m.exec(script) ?? []
    const made = [...random.split(' '), ...[...script.matchAll(/^make (\w+) /gm)].map(([, name]) => name)]
    expect(made).toEqual(expect.arrayContaining(Object.keys(secrets)))
    for (const [name, service] of Object.entries(services)) {
      for (const secret of service.secrets) expect(secrets, name).toHaveProperty(secret)
      for (const [variable, value] of Object.entries(service.environment))
        if (/TOKEN|SECRET|KEY|PASSWORD|DATABASE_URL|VALKEY_URL/.test(variable))
          expect(value, `${name}: ${variable}`).toMatch(/^\/run\/secrets\/\w+$/)
    }
  })
})

describe('Grafana', () => {
  const dashboards = z.object({ providers: z.array(z.object({ options: z.object({ path: z.string() }) })) })
  const sources = z.object({ datasources: z.array(z.object({ type: z.string(), url: z.url() })) })
  const readYaml = (path: string): unknown => parse(readRootFile(`deploy/grafana/${path}`))

  it('finds its provisioning and the dashboards of ops where compose.yaml mounts them', () => {
    const { providers } = dashboards.parse(readYaml('dashboards/trade-gateway.yaml'))
    const volumes = readCompose().services.grafana?.volumes ?? []
    expect(volumes).toContain('./deploy/grafana:/etc/grafana/provisioning:ro')
    for (const { options } of providers) expect(volumes).toContain(`./ops/grafana:${options.path}:ro`)
  })

  it('reads from the Prometheus of compose.yaml', () => {
    const [source, ...others] = sources.parse(readYaml('datasources/prometheus.yaml')).datasources
    expect(others).toEqual([])
    expect(source?.type).toBe('prometheus')
    expect(Object.keys(readCompose().services)).toContain(new URL(source?.url ?? '').hostname)
  })
})
