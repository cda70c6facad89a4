/** What the address of a page holds: filters, the cursor of a page, the chosen tab. All values are short strings. */

const maxCharacters = 300

/** Returns a function that takes the named search parameters from an address and ignores all others. */
export function takeSearch<const Name extends string>(names: readonly Name[]) {
  return (given: Record<string, unknown>): { [Key in Name]?: string | undefined } => {
    const taken: { [Key in Name]?: string | undefined } = {}
    for (const name of names) {
      const value = given[name]
      if (typeof value === 'string' && value !== '' && value.length <= maxCharacters) taken[name] = value
    }
    return taken
  }
}

/** Parses the query of an address. A repeated name keeps its last value. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Writes search parameters. Empty ones are left out, so that a page without filters has a short address. */
export function writeSearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** Counts the parameters that narrow a list, without those that only choose a page of it. */
export function countFilters(search: Readonly<Record<string, string | undefined>>): number {
  return Object.entries(search).filter(([name, value]) => value !== undefined && !paging.includes(name))
    .length
}

const paging = ['cursor', 'page', 'live', 'tab', 'sort']
