import { Kbd, Modal, Switch, Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSingleKeys } from '../parts/single-keys.ts'
import { useTexts } from '../texts/texts.ts'
import { places } from './places.ts'

/** How long the second key may follow `g`. */
const sequenceMs = 1_500

interface SheetProps {
  readonly opened: boolean
  readonly toggle: () => void
}

/**
 * The keyboard: `g` and a letter goes to a page, `/` to the first filter, `?` shows this sheet. It turns such keys off
 * and on; without them, the search finds the sheet.
 */
export function KeySheet({ opened, toggle }: SheetProps) {
  const t = useTexts()
  const navigate = useNavigate()
  const [hasKeys, setKeys] = useSingleKeys()
  useEffect(() => {
    if (!hasKeys) return
    let goAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const place = places.find(({ key }) => key === event.key)
      if (event.timeStamp < goAt + sequenceMs && place) {
        goAt = Number.NEGATIVE_INFINITY
        void navigate({ to: place.to })
      } else if (event.key === 'g') goAt = event.timeStamp
      else if (event.key === '?') toggle()
      else if (event.key === '/') document.querySelector<HTMLElement>('.filters input')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, toggle, hasKeys])

  const rows: readonly (readonly [keys: string, what: string])[] = [
    ['⌘K', t('key_search')],
    ['/', t('key_filter')],
    ['j  k', t('key_rows')],
    ['Enter', t('key_open')],
    ...places.map(({ key, text }) => [`g ${key}`, t('key_go', { page: t(text) })] as const),
    ['?', t('key_help')],
  ]
  return (
    <Modal opened={opened} onClose={toggle} title={t('keyboard')}>
      <Switch
        label={t('key_single')}
        description={t('key_single_text')}
        checked={hasKeys}
        onChange={(event) => setKeys(event.currentTarget.checked)}
        mb="md"
      />
      <Table>
        <Table.Tbody>
          {rows.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Td w={90}>
                {keys.split(/ +/).map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  )
}
