/**
 * The codes of a unique violation: the SQLSTATE of PostgreSQL, and SQLite's extended result codes for a primary key and
 * a unique index.
 */
const uniqueViolations: readonly unknown[] = ['23505', 1555, 2067]

/** Whether the database refused a row because another row has the same unique key. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode }: Record<string, unknown> = { ...error }
  return uniqueViolations.includes(code) || uniqueViolations.includes(errcode)
}
