import { Button, Group } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'
import type { Sort } from './sort.tsx'

interface PagerProps {
  /** The cursor of the page that is shown; undefined for the first. */
  readonly cursor: string | undefined
  readonly next: string | null | undefined
  readonly sort?: Sort
}

/**
 * Goes through a list that is paged by cursors. The address holds the page's own cursor; the browser's history keeps
 * the cursors of the pages before it, because a cursor only leads onwards.
 */
export function CursorPager({ cursor, next, sort = 'newest' }: PagerProps) {
  const t = useTexts()
  const navigate = useNavigate()
  const trail = useRouterState({ select: ({ location }) => location.state.trail ?? [] })
  const go = (to: string | undefined, kept: readonly string[]) =>
    navigate({ to: '.', search: (search) => ({ ...search, cursor: to }), state: { trail: kept } })
  if (cursor === undefined && !next) return null
  return (
    <Group gap="xs" className="pager">
      <Button variant="default" disabled={cursor === undefined} onClick={() => go(undefined, [])}>
        {t(`first_page_${sort}`)}
      </Button>
      <Button
        variant="default"
        disabled={trail.length === 0}
        onClick={() => go(trail.at(-1) || undefined, trail.slice(0, -1))}
      >
        {t('previous_page')}
      </Button>
      <Button
        variant="default"
        disabled={!next}
        onClick={() => go(next ?? undefined, [...trail, cursor ?? ''])}
      >
        {t('next_page')}
      </Button>
    </Group>
  )
}

interface NumberedProps {
  readonly page: string | undefined
  readonly hasMore: boolean
}

/** Goes through a short list that is paged by numbers. */
export function NumberedPager({ page, hasMore }: NumberedProps) {
  const t = useTexts()
  const navigate = useNavigate()
  const at = Number(page ?? '1')
  const go = (to: number) =>
    navigate({ to: '.', search: (search) => ({ ...search, page: to === 1 ? undefined : String(to) }) })
  if (at === 1 && !hasMore) return null
  return (
    <Group gap="xs" className="pager">
      <Button variant="default" disabled={at === 1} onClick={() => go(at - 1)}>
        {t('previous_page')}
      </Button>
      <Button variant="default" disabled={!hasMore} onClick={() => go(at + 1)}>
        {t('next_page')}
      </Button>
    </Group>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    trail?: readonly string[]
  }
}
