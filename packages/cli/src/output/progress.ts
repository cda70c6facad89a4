import type { Output } from './output.ts'

/** What is known of a long transfer. */
export interface ProgressFacts {
  readonly label: string
  readonly done: number
  /** Undefined while it is not known. */
  readonly total: number | undefined
  readonly unit: string
  readonly pointsLeft?: number | undefined
  readonly pointsLimit?: number | undefined
}

const barWidth = 20
const terminalMs = 100
/** Without a terminal, a line is for a log. */
const plainMs = 5_000
const eraseLine = '\r\u001b[K'

/** A bar on a terminal, and plain lines elsewhere. It never holds the transfer up. */
export class Progress {
  readonly #output: Output
  readonly #isSilent: boolean
  readonly #now: () => number
  readonly #began: number
  #shownAt: number
  #isShown = false

  constructor(
    output: Output,
    { isSilent, now = () => performance.now() }: { readonly isSilent: boolean; readonly now?: () => number },
  ) {
    this.#output = output
    this.#isSilent = isSilent
    this.#now = now
    this.#began = now()
    this.#shownAt = this.#began
  }

  show(facts: ProgressFacts): void {
    const now = this.#now()
    const isDue = now - this.#shownAt >= (this.#output.isTerminal ? terminalMs : plainMs)
    if (this.#isSilent || !isDue) return
    this.#shownAt = now
    const text = formatProgress(facts, (now - this.#began) / 1000, this.#output.isTerminal)
    this.#isShown = this.#output.isTerminal
    void this.#output
      .write(this.#output.isTerminal ? eraseLine + text.slice(0, this.#output.columns - 1) : `${text}\n`)
      .catch(() => {})
  }

  /** Removes the bar, so that the next line begins at the left. */
  clear(): void {
    if (this.#isShown) void this.#output.write(eraseLine).catch(() => {})
    this.#isShown = false
  }
}

function formatProgress(facts: ProgressFacts, seconds: number, isTerminal: boolean): string {
  const { label, done, total, unit, pointsLeft, pointsLimit } = facts
  const rate = done / Math.max(seconds, 0.001)
  const points = pointsLeft === undefined ? [] : [`${pointsLeft}/${pointsLimit ?? '?'} pts`]
  if (total === undefined || total === 0)
    return [`${label} ${done} ${unit}`, `${formatRate(rate)}/s`, ...points].join(' · ')
  const part = Math.min(1, done / total)
  const filled = Math.round(part * barWidth)
  const bar = isTerminal ? `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ` : ''
  const eta = formatEta((total - done) / Math.max(rate, 0.001))
  return [
    `${label} ${bar}${Math.floor(part * 100)}% ${done}/${total} ${unit}`,
    `${formatRate(rate)}/s`,
    ...points,
    `ETA ${eta}`,
  ].join(' · ')
}

function formatRate(rate: number): string {
  return rate >= 1000 ? `${(rate / 1000).toFixed(1)}k` : String(Math.round(rate))
}

function formatEta(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`
}
