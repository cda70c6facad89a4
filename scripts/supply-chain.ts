import { globSync } from 'node:fs'
import { z } from 'zod'
import { listProductionPackages, type ProductionPackage, readRootFile, root } from './production-packages.ts'

/**
 * Checks the packages from the registry, without network access, in `npm run lint`. `.npmrc` sets the minimum age of
 * versions and disables install scripts in a clone. npm does not read that file if our packages are installed as
 * dependencies or if an image copies package.json only, so package.json also denies each install script by name.
 */

/** The maximum number of external packages of a production installation. */
export const maxProductionPackages = 50

/** Licences that allow distribution with notices and without source code. */
const permissiveLicences = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PSF-2.0',
]

const dependencies = z.record(z.string(), z.string()).default({})
export const manifest = z.object({
  name: z.string(),
  dependencies,
  devDependencies: dependencies,
  optionalDependencies: dependencies,
  allowScripts: z.record(z.string(), z.boolean()).default({}),
  scarfSettings: z.object({ enabled: z.boolean() }).optional(),
})
export type Manifest = z.infer<typeof manifest>

export interface SupplyChain {
  readonly production: readonly ProductionPackage[]
  /** The root's manifest first, then those of the workspaces. */
  readonly manifests: readonly [Manifest, ...Manifest[]]
  /** The version in `.nvmrc`. */
  readonly nodeVersion: string
}

/** Returns all problems as sentences that say what to do. */
export function findSupplyChainProblems(chain: SupplyChain): string[] {
  return [
    ...findCountProblems(chain),
    ...findScriptProblems(chain),
    ...findLicenceProblems(chain),
    ...findVersionProblems(chain),
    ...findNodeProblems(chain),
  ]
}

function findCountProblems({ production }: SupplyChain): string[] {
  const count = production.filter(({ isOptional }) => !isOptional).length
  if (count <= maxProductionPackages) return []
  return [
    `A production installation has ${count} external packages; maxProductionPackages allows ${maxProductionPackages}. Remove one, or choose a dependency with fewer of its own.`,
  ]
}

function findScriptProblems({ production, manifests: [top, ...workspaces] }: SupplyChain): string[] {
  const undenied = production
    .filter(({ name, hasInstallScript }) => hasInstallScript && top.allowScripts[name] !== false)
    .map(
      ({ name }) =>
        `${name} has an install script. Deny it in package.json: "allowScripts": { "${name}": false }.`,
    )
  const reporting = [top, ...workspaces.filter((each) => 'swagger-ui-dist' in each.dependencies)]
    .filter(({ scarfSettings }) => scarfSettings?.enabled !== false)
    .map(({ name }) => `${name} must turn install reports off: "scarfSettings": { "enabled": false }.`)
  return [...undenied, ...reporting]
}

function findLicenceProblems({ production }: SupplyChain): string[] {
  return production
    .filter(({ licence }) => !permissiveLicences.includes(licence))
    .map(
      ({ name, licence }) =>
        `${name} has the licence "${licence}", which permissiveLicences does not contain.`,
    )
}

function findVersionProblems({ manifests }: SupplyChain): string[] {
  return manifests.flatMap((each) =>
    Object.entries({ ...each.dependencies, ...each.devDependencies, ...each.optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${each.name} asks for ${name} "${version}". Name one exact version.`),
  )
}

/** Editors and containers (`.nvmrc`) must run the same Node as `npm start`. */
function findNodeProblems({ nodeVersion, manifests: [top] }: SupplyChain): string[] {
  return Object.entries(top.optionalDependencies)
    .filter(([name, version]) => name.startsWith('node-linux-') && version !== nodeVersion)
    .map(
      ([name, version]) =>
        `.nvmrc names Node ${nodeVersion}, and ${name} is ${version}. Name the same version.`,
    )
}

export function readSupplyChain(): SupplyChain {
  const readManifest = (path: string) => manifest.parse(JSON.parse(readRootFile(path)))
  return {
    production: listProductionPackages(readRootFile('package-lock.json')),
    manifests: [
      readManifest('package.json'),
      ...globSync('packages/*/package.json', { cwd: root }).sort().map(readManifest),
    ],
    nodeVersion: readRootFile('.nvmrc').trim(),
  }
}

if (import.meta.main) {
  const problems = findSupplyChainProblems(readSupplyChain())
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
