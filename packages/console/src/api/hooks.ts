import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ApiError, call, type InputOf, type PathsWith, type ResultOf } from './client.ts'
import type { KeyOf } from './keys.ts'

interface ReadOptions<Result> {
  readonly enabled?: boolean
  /** Milliseconds between two reads while the page is visible, or a function of the result; false reads once. */
  readonly everyMs?: number | false | ((result: Result | undefined) => number | false)
}

/** Reads from the operator's API. While the parameters change, the previous rows stay visible. */
export function useRead<Path extends PathsWith<'get'>>(
  path: Path,
  input: InputOf<Path, 'get'>,
  { enabled = true, everyMs = false }: ReadOptions<ResultOf<Path, 'get'>> = {},
) {
  return useQuery<ResultOf<Path, 'get'>, ApiError>({
    queryKey: toQueryKey(path, input),
    queryFn: ({ signal }) => call('get', path, input, { signal }),
    enabled,
    refetchInterval: typeof everyMs === 'function' ? ({ state }) => everyMs(state.data) : everyMs,
    placeholderData: keepPreviousData,
  })
}

export function toQueryKey(path: string, input: unknown): QueryKey {
  return [path, input]
}

/** What a change takes: the input of its call, and the keys of the attempt, which gives them to what it runs. */
type ChangeOf<Path extends PathsWith<Verb>, Verb extends 'post' | 'patch' | 'delete'> = InputOf<
  Path,
  Verb
> & { readonly keyOf: KeyOf }

/** Returns a function that changes something. After it, everything on the page is read again. */
export function useChange<Verb extends 'post' | 'patch' | 'delete', Path extends PathsWith<Verb>>(
  method: Verb,
  path: Path,
) {
  const client = useQueryClient()
  return useMutation<ResultOf<Path, Verb>, ApiError, ChangeOf<Path, Verb>>({
    // In JSON, the input has no `keyOf`.
    mutationFn: (input) => call(method, path, input, { key: input.keyOf(JSON.stringify([path, input])) }),
    // The change is done before the page is read again, and also if that fails.
    onSettled: () => {
      void client.invalidateQueries()
    },
  })
}
