import { UsageError } from '../errors/errors.ts'

/** The values of the placeholders in a path, by name. */
export type PathValues = Readonly<Record<string, string>>

/**
 * Fills the placeholders of a path. Throws `UsageError` for an empty value, `.` and `..`, which would lead to
 * another
 * endpoint: an empty id to the list, and `..` to what is above.
 */
export function fillPath(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new UsageError(`${name} must be a text that is not empty, and is ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
}

/** What a query may hold. */
export type QueryValue = string | number | boolean | null | undefined

/** Formats a query with its `?`. Values that are undefined or null are left out. */
export function formatQuery(query: Readonly<Record<string, QueryValue>>): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}
