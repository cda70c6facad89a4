import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

export type Sort = 'newest' | 'oldest'

/** Reads the direction of a list from its address; newest first without one. */
export function toSort(given: string | undefined): Sort {
  return given === 'oldest' ? 'oldest' : 'newest'
}

/** Turns a list round. A cursor belongs to one direction, so the list begins at its first page again. */
export function SortButton({ sort }: { readonly sort: Sort }) {
  const t = useTexts()
  const navigate = useNavigate()
  const other = sort === 'newest' ? 'oldest' : undefined
  return (
    <Button
      variant="subtle"
      color="gray"
      size="xs"
      leftSection={<Icon name={sort} />}
      aria-label={t(`sorted_${sort}_switch`)}
      onClick={() =>
        void navigate({
          to: '.',
          search: (before) => ({ ...before, sort: other, cursor: undefined, live: undefined }),
        })
      }
    >
      {t(`sorted_${sort}`)}
    </Button>
  )
}
