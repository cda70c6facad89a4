/** Escape sequences in a name that came from an ERP could otherwise move the cursor of a terminal. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Formats a value of JSON as one line of plain text. */
export function cleanText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(controls, '\ufffd')
}

/** Han, Hangul and full-width characters take two columns of a terminal. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu

/** Counts the columns that a text takes on a terminal. */
export function countColumns(text: string): number {
  return [...text].length + (text.match(wide)?.length ?? 0)
}

/** Colours, where the terminal and the user want them. */
export interface Paint {
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const

export function createPaint(isColored: boolean): Paint {
  const wrap = (code: number) => (text: string) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    red: wrap(codes.red),
    green: wrap(codes.green),
    yellow: wrap(codes.yellow),
    dim: wrap(codes.dim),
    bold: wrap(codes.bold),
  }
}
