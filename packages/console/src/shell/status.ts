import { useQuery } from '@tanstack/react-query'

/** The part of `GET /statusz` that the frame shows. */
export interface Status {
  readonly sandbox: boolean
  readonly writes_enabled: boolean
  readonly upstream: { readonly name: string | null; readonly verdict: string; readonly circuit: string }
}

const everyMs = 15_000

interface KnownStatus {
  /** The newest report, also if it is old. */
  readonly status: Status | undefined
  /** Since when no report has come, in milliseconds; undefined while they come. */
  readonly silentSince: number | undefined
}

/** Reads the public health report of the gateway, again and again. */
export function useStatus(): KnownStatus {
  const { data, isError, dataUpdatedAt, errorUpdatedAt } = useQuery({
    queryKey: ['/statusz'],
    queryFn: async ({ signal }): Promise<Status> => {
      const response = await fetch('/statusz', { signal, cache: 'no-store' })
      const { data } = await response.json()
      return data
    },
    refetchInterval: everyMs,
    retry: false,
  })
  // Without any report yet, the time of the failure is the earliest one known.
  return { status: data, silentSince: isError ? dataUpdatedAt || errorUpdatedAt : undefined }
}
