/**
 * What of an output is compared: everything but the values that differ from run to run by their nature, such as
 * ids, times, tokens, stock versions and what is left of the points.
 */

type Rule = readonly [RegExp, string]

const rules: readonly Rule[] = [
  // Layout is the page's, not the gateway's.
  [/\s+/g, ' '],
  [/\b([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26}\b/g, '$1_<id>'],
  [/eyJ[\w-]+(?:…|\.[\w-]+\.[\w-]+)/g, '<token>'],
  [/whsec_[\w+/=-]+/g, 'whsec_<secret>'],
  [/("?(?:client_)?secret"?: ?)"[^"]*"/g, '$1"<secret>"'],
  [/"quote_id": "[^"]*"/g, '"quote_id": "<quote>"'],
  [/v1=[0-9a-f]{64}/g, 'v1=<signature>'],
  [/v1,[\w+/]{43}=/g, 'v1,<signature>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<date>'],
  [/(?<=[Dd]ate: )\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '<time>'],
  [/(?<=\bt=|[Tt]imestamp"?: "?)1\d{9}\b/g, '<seconds>'],
  // Stock versions are counted from an epoch.
  [/\b\d{15,16}\b/g, '<version>'],
  [/("(?:remaining|reset_seconds|age_seconds|upstream_ms|duration_ms)": )(?:\d+|null)/g, '$1<n>'],
  [/(ratelimit-(?:remaining|reset)|retry-after|x-stock-age|x-data-age|content-length): \d+/gi, '$1: <n>'],
  [/;r=\d+;t=\d+/g, ';r=<n>;t=<n>'],
  [/; \d+ of (\d+) are left/g, '; <n> of $1 are left'],
  [/locked for \d+ more seconds/g, 'locked for <n> more seconds'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
]

/** The part of an output that must be the same in each run. */
export function settled(output: string): string {
  return rules.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), output).trim()
}

/** Where two outputs part, for a person; undefined where they say the same. */
export function differenceOf(shown: string, printed: string): string | undefined {
  const [one, other] = [settled(shown), settled(printed)]
  if (one === other) return undefined
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - around / 2)
  return `the page shows  ${one.slice(from, at + around)}\n           it printed      ${other.slice(from, at + around)}`
}

const around = 100
