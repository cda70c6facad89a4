/**
 * `npm run kubernetes`: checks the manifests of `deploy/kubernetes` against the types of the Kubernetes API. The compiler
 * reports what the API server would refuse or ignore: a field that does not exist, a missing one, a wrong type.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { runPlainCommand } from '../../packages/gateway/src/kernel/plain-command.ts'
import { root } from '../production-packages.ts'

const usage = `Usage: npm run kubernetes

Checks the manifests of deploy/kubernetes against the types of the Kubernetes API. Requires no network.
Exit code 1: a manifest is not valid, or the kustomization does not name it.
`

const folder = join(root, 'deploy/kubernetes')
const manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() })

/** Kustomize reads this file itself, and it is no object of the API. */
const kustomization = 'kustomization.yaml'

function listManifests(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && name !== kustomization)
    .sort()
}

/** Writes a manifest as an object of TypeScript, whose type forbids unknown fields. */
function toTypeScript(name: string): string {
  const value = manifest.parse(parse(readFileSync(join(folder, name), 'utf8')))
  const path = `kubernetes-models/${value.apiVersion}/${value.kind}`
  return `import type { I${value.kind} } from '${path}'\nexport const manifest: I${value.kind} = ${JSON.stringify(value, null, 2)}\n`
}

function checkManifests(): number {
  const project = mkdtempSync(join(tmpdir(), 'kubernetes-'))
  try {
    const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(project, 'package.json'), '{"type": "module"}')
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
    for (const name of listManifests()) writeFileSync(join(project, `${name}.ts`), toTypeScript(name))
    execFileSync(process.execPath, [join(root, 'node_modules/.bin/tsc'), '-p', project], { stdio: 'inherit' })
    process.stdout.write(`${listManifests().length} manifests of Kubernetes are valid\n`)
    return checkKustomization()
  } catch {
    process.stderr.write(
      'A manifest of deploy/kubernetes is not valid: see above. The lines are those of its JSON.\n',
    )
    return 1
  } finally {
    rmSync(project, { recursive: true })
  }
}

/** Checks that the kustomization names every manifest. */
function checkKustomization(): number {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(readFileSync(join(folder, kustomization), 'utf8')))
  const missing = listManifests().filter((name) => !resources.includes(name))
  for (const name of missing) process.stderr.write(`${kustomization} does not name ${name}.\n`)
  return missing.length === 0 ? 0 : 1
}

await runPlainCommand(usage, checkManifests)
