/**
 * Merges metrics in Prometheus' text format, one text for each process. Their samples differ by a label. The format
 * allows each metric once, with its help and type before all of its samples.
 */
export function mergeMetricTexts(texts: readonly string[]): string {
  const metrics = new Map<string, string[]>()
  for (const block of texts.flatMap((text) => text.split(/\n(?=# HELP )/))) {
    const lines = block.split('\n').filter((line) => line !== '')
    const heading = lines.filter((line) => line.startsWith('# ')).join('\n')
    const samples = metrics.get(heading) ?? []
    samples.push(...lines.filter((line) => !line.startsWith('# ')))
    metrics.set(heading, samples)
  }
  return [...metrics].map(([heading, samples]) => `${[heading, ...samples].join('\n')}\n`).join('\n')
}
