import { Select } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../api/hooks.ts'
import { useTexts } from '../texts/texts.ts'
import { toChannelChoices } from './channel-choices.ts'

/** The most channels that are read for the choice. Of further and of deleted ones, the code can be typed. */
const maxChannels = 200

interface ChannelFilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly set: (code: string | undefined) => void
}

/** A filter by channel, found by its name or its code. */
export function ChannelFilter({ label, value, set }: ChannelFilterProps) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const { data } = useRead('/admin/api/channels', { query: { page: 1, page_size: maxChannels } })
  const chosen = value === undefined ? {} : { chosen: value }
  return (
    <Select
      size="xs"
      label={label}
      placeholder={t('any')}
      value={value ?? null}
      data={toChannelChoices(data?.data ?? [], { ...chosen, typed: typed.trim() })}
      onChange={(code) => set(code ?? undefined)}
      onSearchChange={setTyped}
      nothingFoundMessage={t('none_found')}
      searchable
      clearable
      w={220}
    />
  )
}
