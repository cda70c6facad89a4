import type { Writable } from 'node:stream'

/** An output stream that may be a terminal. */
export interface Output extends Writable {
  readonly isTTY?: boolean
}

const barWidth = 30
/**
 * The minimum time in milliseconds between two updates of the bar. Without a terminal, a line is printed after each
 * quarter of the step, and of a long step each minute.
 */
const barIntervalMs = 100
const shareOfLine = 0.25
const lineIntervalMs = 60_000

/** The progress display: a bar on a terminal, otherwise a line from time to time. */
export class Progress {
  readonly #output: Output
  readonly #now: () => number
  #shown = 0
  #next = shareOfLine

  constructor(output: Output, now = () => performance.now()) {
    this.#output = output
    this.#now = now
  }

  /** Starts a new step and prints its name. */
  beginStep(text: string): void {
    this.#clear()
    this.#next = shareOfLine
    this.#shown = this.#now()
    this.#output.write(`${text}\n`)
  }

  /** Shows that `share` (0 to 1) of the current step is done. */
  showShare(share: number, text: string): void {
    const now = this.#now()
    if (this.#output.isTTY) {
      if (now - this.#shown < barIntervalMs) return
      this.#shown = now
      const full = Math.round(Math.min(share, 1) * barWidth)
      this.#output.write(`\r\x1b[K[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] ${text}`)
    } else if (share >= this.#next || now - this.#shown >= lineIntervalMs) {
      this.#shown = now
      this.#next = (Math.floor(share / shareOfLine) + 1) * shareOfLine
      this.#output.write(`  ${Math.round(share * 100)} %: ${text}\n`)
    }
  }

  /** Removes the bar. */
  end(): void {
    this.#clear()
  }

  #clear() {
    if (this.#output.isTTY) this.#output.write('\r\x1b[K')
  }
}
