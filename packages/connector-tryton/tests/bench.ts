/**
 * Measures the connector and a gateway on a Tryton of its own, and counts the calls of Tryton that each operation makes.
 * The counts do not depend on how busy the machine is; the times do.
 *
 *   node packages/connector-tryton/tests/bench.ts                    # on the committed dump: 240 SKUs
 *   node packages/connector-tryton/tests/bench.ts --styles 5000      # 20,000 SKUs in three warehouses, for the targets
 *   node packages/connector-tryton/tests/bench.ts --dump FILE        # what npm run tryton-sandbox -- --save-dump made
 *   node packages/connector-tryton/tests/bench.ts --only operations
 *
 * Exit codes: 0 measured, 1 failed, 64 wrong usage. A missed target is printed and is no failure.
 */
import { parseArgs } from 'node:util'
import { measureFeed, measureFill, measureGateway } from './bench-gateway.ts'
import { measureOperations } from './bench-operations.ts'
import { Table } from './bench-table.ts'
import { findOwnPorts, startOwnSandbox } from './own-sandbox.ts'

const firstPort = findOwnPorts(20_500)
const subjects = {
  operations: measureOperations,
  fill: measureFill,
  feed: measureFeed,
  gateway: measureGateway,
}
const maxStyles = 9_999
const maxRepeats = 1_000

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      styles: { type: 'string', default: '60' },
      dump: { type: 'string' },
      repeats: { type: 'string', default: '10' },
      only: { type: 'string', default: Object.keys(subjects).join() },
    },
  })
  const [styles, repeats] = [Number(values.styles), Number(values.repeats)]
  const names = values.only.split(',')
  const isNumber = (number: number, max: number) => Number.isInteger(number) && number >= 1 && number <= max
  if (
    !isNumber(styles, maxStyles) ||
    !isNumber(repeats, maxRepeats) ||
    !names.every((name) => name in subjects)
  ) {
    process.stderr.write(
      `--only takes ${Object.keys(subjects).join()}; --styles and --repeats take numbers.\n`,
    )
    return 64
  }
  const report = (line: string) => void process.stderr.write(`… ${line}\n`)
  const { dump } = values
  const seed = dump !== undefined ? { dump } : styles === 60 ? {} : { styles }
  const sandbox = await startOwnSandbox(firstPort, { report, ...seed })
  const table = new Table()
  try {
    for (const [name, measure] of Object.entries(subjects))
      if (names.includes(name)) await measure({ sandbox, table, repeats, firstPort: firstPort + 2 })
  } finally {
    process.stdout.write(table.format())
    await sandbox.stop({ forget: true })
  }
  return 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  },
)
