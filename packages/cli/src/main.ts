#!/usr/bin/env node
/** The command `tgw`. Everything is loaded on demand, so that `tgw --version` takes hardly longer than Node itself. */
import { readFileSync } from 'node:fs'

const oldestNode = 20

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : ''
}

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2)
  if (rest.length === 0 && (first === '--version' || first === '-V')) {
    process.stdout.write(`${readVersion()}\n`)
    return 0
  }
  const major = Number(process.versions.node.split('.')[0])
  if (major < oldestNode) {
    process.stderr.write(`tgw requires Node ${oldestNode} or newer, and this is ${process.version}.\n`)
    return 1
  }
  const { runProgram } = await import('./program.ts')
  return runProgram(process.argv.slice(2), { process, version: readVersion() })
}

/** A higher exit code is that of a command that a signal, or the end of its reader, has ended. */
const lastOrdinaryCode = 128

const code = await main()
process.exitCode = code
// Text that no reader takes would keep the process alive.
if (code > lastOrdinaryCode && process.stdout.writableLength + process.stderr.writableLength > 0)
  process.exit()
