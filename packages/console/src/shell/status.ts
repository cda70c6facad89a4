import { useQuery } from '@tanstack/react-query'

/** The part of `GET /statusz` that the frame shows. */
export interface Status {
  readonly sandbox: boolean
  readonly writes_enabled: boolean
  readonly upstream: { readonly name: string | null; readonly verdict: string; readonly circuit: string }
}

const everyMs = 15_000

/** Reads the public health report of the gateway, again and again. */
export function useStatus(): Status | undefined {
  return useQuery({
    queryKey: ['/statusz'],
    queryFn: async ({ signal }): Promise<Status> => {
      const response = await fetch('/statusz', { signal, cache: 'no-store' })
      const { data } = await response.json()
      return data
    },
    refetchInterval: everyMs,
    retry: false,
  }).data
}
