import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useGo } from '../parts/go.ts'
import { Icon } from '../parts/icon.tsx'
import { lock } from '../session.ts'
import { useTexts } from '../texts/texts.ts'
import { placeGroups } from './places.ts'
import { findTargets } from './targets.ts'

/** ⌘K: takes an id, a code, a SKU or a channel, and goes there; or the name of a page. */
export function CommandBar({ showKeys }: { readonly showKeys: () => void }) {
  const t = useTexts()
  const navigate = useNavigate()
  const go = useGo()
  const [query, setQuery] = useState('')
  const targets = findTargets(query).map(
    ({ kind, href }): SpotlightActionData => ({
      id: href,
      label: t(`target_${kind}`, { text: query.trim() }),
      leftSection: <Icon name="search" />,
      onClick: () => go(href),
    }),
  )
  const pages = placeGroups
    .flatMap(({ places }) => places)
    .filter(({ text }) => t(text).toLowerCase().includes(query.trim().toLowerCase()))
    .map(
      ({ to, text, icon }): SpotlightActionData => ({
        id: text,
        label: t(text),
        leftSection: <Icon name={icon} />,
        onClick: () => void navigate({ to }),
      }),
    )
  const isSought = (name: string) => name.toLowerCase().includes(query.trim().toLowerCase())
  return (
    <Spotlight.Root query={query} onQueryChange={setQuery} shortcut={['mod + K']} scrollable maxHeight={420}>
      <Spotlight.Search placeholder={t('search_placeholder')} leftSection={<Icon name="search" />} />
      <Spotlight.ActionsList>
        {[...targets, ...pages].map(({ id, ...action }) => (
          <Spotlight.Action key={id} {...action} />
        ))}
        {isSought(t('keyboard')) && <Spotlight.Action label={t('keyboard')} onClick={showKeys} />}
        {'lock'.includes(query.trim().toLowerCase()) && (
          <Spotlight.Action
            label={t('lock')}
            leftSection={<Icon name="lock" />}
            onClick={() => lock('locked')}
          />
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
