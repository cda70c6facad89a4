/** Whether an Accept header wants Markdown more than HTML (RFC 9110 §12.5.1). A browser never does. */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept) return false
  const ranges = accept.slice(0, mostHeaderCharacters).toLowerCase().split(',').map(rangeFrom)
  const markdown = ranges.find(({ type }) => type === 'text/markdown')?.weight ?? 0
  return markdown > 0 && markdown >= weightOfHtml(ranges)
}

const mostHeaderCharacters = 1_000

interface Range {
  readonly type: string
  readonly weight: number
}

function rangeFrom(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice(2))
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 }
}

/** Only where HTML is named: `*` and `text/*` say that anything will do, and Markdown was named. */
function weightOfHtml(ranges: readonly Range[]): number {
  return ranges.find(({ type }) => type === 'text/html')?.weight ?? 0
}
