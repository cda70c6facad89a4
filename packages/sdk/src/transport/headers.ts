type HeaderFields = Readonly<Record<string, string>>

/** Joins headers under names in lower case. Later ones replace earlier ones, because HTTP names have no case (RFC 9110 §5.1). */
export function mergeHeaders(...all: readonly HeaderFields[]): Record<string, string> {
  const fields = all.flatMap((each) => Object.entries(each))
  return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]))
}
