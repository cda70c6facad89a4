import { z } from 'zod'

/** How many issues a sentence names: a wrong field is wrong in every row. */
const shown = 3

/** Describes why a value does not match its schema: the first places and what is wrong there. */
export function describeIssues({ issues }: z.ZodError): string {
  const places = issues
    .slice(0, shown)
    .map(({ path, message }) => (path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`))
  const rest = issues.length > shown ? `; and ${issues.length - shown} more` : ''
  return places.join('; ') + rest
}
