import { useQuery } from '@tanstack/react-query'

/** Reads the codes of the warehouses from the public health report. */
export function useWarehouses(): string[] {
  const query = useQuery({
    queryKey: ['/statusz', 'warehouses'],
    queryFn: async ({ signal }): Promise<string[]> => {
      const response = await fetch('/statusz', { signal, cache: 'no-store' })
      const { data } = await response.json()
      return data.warehouses.map(({ warehouse_code }: { warehouse_code: string }) => warehouse_code)
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return query.data ?? []
}
