/** The number of things that wait for a person, by kind. */
export function useAttention(): Readonly<Record<string, number>> | undefined {
  return undefined
}
