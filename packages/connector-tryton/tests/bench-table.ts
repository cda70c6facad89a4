import type { OwnSandbox } from './own-sandbox.ts'

export interface Bench {
  readonly sandbox: OwnSandbox
  readonly table: Table
  /** How often a short operation is measured. */
  readonly repeats: number
  /** This port and the next one are free. */
  readonly firstPort: number
}

interface Row {
  readonly name: string
  /** Milliseconds of each measurement. */
  readonly times: readonly number[]
  readonly target?: string
  /** Calls of Tryton. */
  readonly trips?: number | undefined
}

/** The figures of a run. */
export class Table {
  readonly #rows: (readonly string[])[] = [['', 'median', 'p99', 'target', 'calls of Tryton']]

  add({ name, times, target = '', trips }: Row): void {
    const sorted = [...times].sort((one, other) => one - other)
    const at = (share: number) =>
      format(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
    this.addText([
      name,
      at(0.5),
      sorted.length > 1 ? at(0.99) : '',
      target,
      trips === undefined ? '' : `${trips}`,
    ])
  }

  addText(row: readonly string[]): void {
    this.#rows.push(row)
    process.stderr.write(`… ${row.filter((cell) => cell !== '').join(', ')}\n`)
  }

  format(): string {
    const widths = this.#rows[0]?.map((_, column) =>
      Math.max(...this.#rows.map((row) => row[column]?.length ?? 0)),
    )
    return this.#rows
      .map(
        (row) =>
          `${row
            .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
            .join('  ')
            .trimEnd()}\n`,
      )
      .join('')
  }
}

const format = (ms = Number.NaN) => (ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)

/** Runs something once and returns its milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
