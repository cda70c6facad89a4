import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { runPlainCommand } from '../packages/gateway/src/kernel/plain-command.ts'
import { listProductionPackages, type ProductionPackage, readRootFile, root } from './production-packages.ts'

/**
 * `npm run sbom` writes sbom.cdx.json: the production packages as a CycloneDX document.
 *
 * npm lists all packages, and this script removes the development ones. `npm sbom --omit=dev` of npm 11.19 also leaves
 * out 13 production packages, such as hono and zod, because development dependencies use them as well.
 */

export const sbomFile = 'sbom.cdx.json'

const usage = `Usage: npm run sbom

Writes ${sbomFile}: the production packages as a CycloneDX document. Requires no network.
`

const cycloneDx = z.looseObject({
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
})

export function filterSbom(sbomText: string, production: readonly ProductionPackage[], own: string) {
  const { components, dependencies, ...rest } = cycloneDx.parse(JSON.parse(sbomText))
  const wanted = new Set(production.map(({ name, version }) => `${name}@${version}`))
  const isKept = (ref: string) => wanted.has(ref) || ref.startsWith(own)
  const kept = components.filter((each) => isKept(each['bom-ref']))
  const present = new Set(kept.map((each) => each['bom-ref']))
  const missing = [...wanted].filter((ref) => !present.has(ref))
  if (missing.length > 0)
    throw new Error(`npm sbom left out ${missing.join(', ')}. Run npm ci, then try again.`)
  return {
    ...rest,
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => isKept(ref))
      .map((each) => ({ ...each, dependsOn: each.dependsOn.filter(isKept) })),
  }
}

/** Creates the document from `package-lock.json`. Requires no network. */
export function createSbom() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return filterSbom(text, listProductionPackages(readRootFile('package-lock.json')), '@trade-gateway/')
}

function writeSbom(): number {
  const sbom = createSbom()
  writeFileSync(join(root, sbomFile), `${JSON.stringify(sbom, null, 2)}\n`)
  process.stdout.write(`${sbomFile}: ${sbom.components.length} packages\n`)
  return 0
}

if (import.meta.main) await runPlainCommand(usage, writeSbom)
