import { useEffect, useState } from 'react'

/** From how far down a page new rows no longer push what the reader looks at. */
const pausedBelowPx = 80

/**
 * The rows of a live list. While the page is scrolled down, the rows stay as they are and new ones are only counted, at
 * most one page of them; `showNew` goes up and shows them.
 */
export function useLiveRows<Row>(rows: readonly Row[], toKey: (row: Row) => string, isLive: boolean) {
  const [kept, setKept] = useState<readonly Row[]>()
  const isPaused = useIsScrolled() && isLive
  if (isPaused && kept === undefined) setKept(rows)
  if (!isPaused && kept !== undefined) setKept(undefined)
  const known = new Set(kept?.map(toKey))
  const waiting = kept === undefined ? 0 : rows.filter((row) => !known.has(toKey(row))).length
  return { shown: kept ?? rows, waiting, showNew: () => scrollTo({ top: 0, behavior: 'smooth' }) }
}

function useIsScrolled(): boolean {
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    const look = () => setScrolled(scrollY > pausedBelowPx)
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  return isScrolled
}
