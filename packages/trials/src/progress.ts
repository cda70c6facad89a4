import type { Writable } from 'node:stream'

/** A stream to write on, and whether a person watches it. */
export interface Output extends Writable {
  readonly isTTY?: boolean
}

const barWidth = 30
/** On a terminal the bar moves at most so often; elsewhere a line is written after each such share of the way. */
const barIntervalMs = 100
const shareOfLine = 0.25

/** How far things are: a moving bar on a terminal, a plain line now and then elsewhere. */
export class Progress {
  readonly #output: Output
  #shown = 0
  #next = shareOfLine

  constructor(output: Output) {
    this.#output = output
  }

  /** Begins something new and says what. */
  step(text: string): void {
    this.#clear()
    this.#next = shareOfLine
    this.#output.write(`${text}\n`)
  }

  /** Shows that `share` (0 to 1) of the present step is done. */
  at(share: number, text: string): void {
    if (this.#output.isTTY) {
      const now = performance.now()
      if (now - this.#shown < barIntervalMs) return
      this.#shown = now
      const full = Math.round(Math.min(share, 1) * barWidth)
      this.#output.write(`\r\x1b[K[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] ${text}`)
    } else if (share >= this.#next) {
      this.#next = (Math.floor(share / shareOfLine) + 1) * shareOfLine
      this.#output.write(`  ${Math.round(share * 100)} %: ${text}\n`)
    }
  }

  /** Takes the bar away. */
  end(): void {
    this.#clear()
  }

  #clear() {
    if (this.#output.isTTY) this.#output.write('\r\x1b[K')
  }
}
