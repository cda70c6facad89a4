/** The words of PromQL that stand where a metric could stand and are not followed by a parenthesis. */
const words: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan'])
/** Word before a list of labels. */
const labelLists = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g

/** Lists the names of the metrics in a PromQL expression, each once. Functions and aggregations precede a parenthesis. */
export function listMetricNames(expr: string): string[] {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(labelLists, '')
  const names = [...bare.matchAll(/(?<![\w.$])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name)
  return [...new Set(names.filter((name) => !words.has(name.toLowerCase())))]
}

/** Metrics that Prometheus itself adds for each target. */
const ofPrometheus: ReadonlySet<string> = new Set(['up'])

/** A metric that the gateway has. */
export interface KnownMetric {
  readonly name: string
  readonly type: string
}

/** Lists the names in an expression that neither the gateway nor Prometheus has. */
export function listUnknownNames(expr: string, known: readonly KnownMetric[]): string[] {
  const samples = new Set(
    known.flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  return listMetricNames(expr).filter((name) => !samples.has(name) && !ofPrometheus.has(name))
}

/** Lists the metrics that a text of `/metrics` declares. */
export function listDeclaredMetrics(metrics: string): KnownMetric[] {
  return [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }))
}
