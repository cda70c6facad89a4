import { useRouter } from '@tanstack/react-router'

/** Returns a function that goes to an address below `/admin` that was built from data, such as a point of a chart. */
export function useGo(): (href: string) => void {
  const { history } = useRouter()
  return (href) => history.push(`/admin${href}`)
}
