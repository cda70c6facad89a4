import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackage } from './pack-package.ts'
import { root } from './production-packages.ts'

/**
 * `npm run create-connector`: runs `npm create trade-gateway-connector` from this checkout. A project in TypeScript gets
 * a tarball of the checkout's connector package, because the package is not published.
 */

const program = join(root, 'packages/create-connector/src/main.ts')
const args = process.argv.slice(2)

async function runProgram(more: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [program, ...args, ...more], { stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

const isOwn = args.some((argument) => /^--(?:help|connector)\b/.test(argument))
if (isOwn || args.length === 0 || args.includes('python') || args.includes('--template=python')) {
  process.exitCode = await runProgram([])
} else {
  const directory = await mkdtemp(join(tmpdir(), 'create-connector-'))
  try {
    process.exitCode = await runProgram(['--connector', await packPackage('connector', directory)])
  } finally {
    await rm(directory, { recursive: true })
  }
}
