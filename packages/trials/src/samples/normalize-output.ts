/**
 * Normalizes outputs for comparison: values that differ from run to run, such as ids, times, tokens, stock versions and
 * remaining points, are replaced.
 */

type Rule = readonly [RegExp, string]

const rules: readonly Rule[] = [
  // The page formats the output, so white space is not compared.
  [/\s+/g, ' '],
  [/\b([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_<id>'],
  [/eyJ[\w-]+(?:…|\.[\w-]+\.[\w-]+)/g, '<token>'],
  [/whsec_[\w+/=-]+/g, 'whsec_<secret>'],
  [/("?(?:client_)?secret"?: ?)"[^"]*"/g, '$1"<secret>"'],
  // The place in a statement is sealed with a nonce.
  [/"next_cursor": "A[\w-]{15,}…?"/g, '"next_cursor": "<cursor>"'],
  [/"quote_id": "[^"]*"/g, '"quote_id": "<quote>"'],
  [/v1=[0-9a-f]{64}/g, 'v1=<signature>'],
  [/v1,[\w+/]{43}=/g, 'v1,<signature>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<date>'],
  [/(?<=[Dd]ate: )\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '<time>'],
  [/(?<=\bt=|[Tt]imestamp"?: "?)1\d{9}\b/g, '<seconds>'],
  // Stock versions are numbers of 15 or 16 digits.
  [/\b\d{15,16}\b/g, '<version>'],
  [
    /("(?:remaining|reset_seconds|age_seconds|upstream_ms|duration_ms|last_answer_seconds)": )(?:\d+|null)/g,
    '$1<n>',
  ],
  [/(ratelimit-(?:remaining|reset)|retry-after|x-stock-age|x-data-age|content-length): \d+/gi, '$1: <n>'],
  [/;r=\d+;t=\d+/g, ';r=<n>;t=<n>'],
  [/; \d+ of (\d+) are left/g, '; <n> of $1 are left'],
  [/locked for \d+ more seconds/g, 'locked for <n> more seconds'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
]

/** Replaces the parts of an output that differ in each run. */
export function normalizeOutput(output: string): string {
  return rules.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), output).trim()
}

/** Describes the first difference of two outputs; undefined if they are equal. */
export function describeDifference(shown: string, printed: string): string | undefined {
  const [one, other] = [normalizeOutput(shown), normalizeOutput(printed)]
  if (one === other) return undefined
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - contextCharacters / 2)
  return `the page shows  ${one.slice(from, at + contextCharacters)}\n           it printed      ${other.slice(from, at + contextCharacters)}`
}

const contextCharacters = 100
