import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { quietMs, shutdownLimits } from '../../packages/gateway/src/http/drain.ts'
import { readRootFile, root } from '../production-packages.ts'

const manifest = z.object({ name: z.string(), workspaces: z.array(z.string()).default([]) })
const compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      stop_grace_period: z.string().optional(),
      secrets: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})
const deployment = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.array(
          z.object({
            lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }),
          }),
        ),
      }),
    }),
  }),
})

const dockerfile = readRootFile('Dockerfile')
const readCompose = () => compose.parse(parse(readRootFile('compose.yaml'), { merge: true }))
const shutdownSeconds = (shutdownLimits.acceptMs + shutdownLimits.finishMs + shutdownLimits.closeMs) / 1000

describe('the time to stop', () => {
  it('is longer than a shutdown takes, in every file', () => {
    const { spec } = deployment.parse(parse(readRootFile('deploy/kubernetes/deployment.yaml'))).spec.template
    const waits = spec.containers.map(({ lifecycle }) => lifecycle.preStop.sleep.seconds)
    expect(spec.terminationGracePeriodSeconds - Math.max(...waits)).toBeGreaterThan(shutdownSeconds)
    const [, unit = ''] =
      /^TimeoutStopSec=(\d+)$/m.exec(readRootFile('deploy/systemd/trade-gateway.service')) ?? []
    expect(Number(unit)).toBeGreaterThan(shutdownSeconds)
    const { services } = readCompose()
    for (const name of ['gateway-1', 'gateway-2'])
      expect(Number(services[name]?.stop_grace_period?.replace('s', ''))).toBeGreaterThan(shutdownSeconds)
  })

  it('leaves nginx no idle connection that the gateway closes first', () => {
    const [upstream = ''] = /upstream gateway \{[^}]*\}/.exec(readRootFile('deploy/nginx/nginx.conf')) ?? []
    const [, seconds = ''] = /keepalive_timeout (\d+)s;/.exec(upstream) ?? []
    expect(Number(seconds) * 1000).toBeLessThan(quietMs)
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
