import { useRead } from '../api/hooks.ts'

const everyMs = 30_000

/** Reads the number of things that wait for a person, by kind, again and again. */
export function useAttention() {
  return useRead('/admin/api/overview', { query: { hours: 1 } }, { everyMs }).data?.data.attention
}
