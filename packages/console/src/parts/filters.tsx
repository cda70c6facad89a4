/** The filters of a list. They are in the address, so that a link or a reload shows the same rows. */

import { Button, Select, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import { countFilters } from '../search.ts'
import { useTexts } from '../texts/texts.ts'
import { ChannelFilter } from './channel-filter.tsx'
import { readEdited, toLocalInput } from './instants.ts'

export interface FilterField {
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'choice' | 'channel' | 'time'
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
}

interface FiltersProps {
  readonly fields: readonly FilterField[]
  readonly search: Readonly<Record<string, string | undefined>>
}

const maxCharacters = 200

export function Filters({ fields, search }: FiltersProps) {
  const t = useTexts()
  const navigate = useNavigate()
  const set = (name: string, value: string | undefined) => {
    if ((search[name] ?? '') === (value ?? '')) return
    // Another filter begins again at the first page.
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [name]: value || undefined, cursor: undefined, page: undefined }),
    })
  }
  const clear = () => {
    const none = Object.fromEntries(fields.map(({ name }) => [name, undefined]))
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...none, cursor: undefined, page: undefined }),
    })
  }
  const own = Object.fromEntries(fields.map(({ name }) => [name, search[name]]))
  return (
    <search className="filters" aria-label={t('filters')}>
      {fields.map((field) => (
        // The value of another address replaces what was typed.
        <Filter
          key={`${field.name} ${search[field.name] ?? ''}`}
          field={field}
          value={search[field.name]}
          set={set}
        />
      ))}
      {countFilters(own) > 0 && (
        <Button variant="subtle" onClick={clear}>
          {t('filters_clear')}
        </Button>
      )}
    </search>
  )
}

interface FilterProps {
  readonly field: FilterField
  readonly value: string | undefined
  readonly set: (name: string, value: string | undefined) => void
}

function Filter({ field: { name, label, kind, choices = [] }, value, set }: FilterProps) {
  const t = useTexts()
  if (kind === 'choice') {
    return (
      <Select
        size="xs"
        label={label}
        placeholder={t('any')}
        value={value ?? null}
        data={[...choices]}
        onChange={(chosen) => set(name, chosen ?? undefined)}
        clearable
        w={170}
      />
    )
  }
  if (kind === 'channel') return <ChannelFilter label={label} value={value} set={(code) => set(name, code)} />
  if (kind === 'time') {
    return (
      <TextInput
        size="xs"
        label={label}
        type="datetime-local"
        defaultValue={toLocalInput(value)}
        onBlur={(event) => set(name, readEdited(event.currentTarget.value, value))}
        onKeyDown={(event) => isEnter(event) && set(name, readEdited(event.currentTarget.value, value))}
      />
    )
  }
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={t('any')}
      defaultValue={value ?? ''}
      onBlur={(event) => set(name, event.currentTarget.value.trim())}
      onKeyDown={(event) => isEnter(event) && set(name, event.currentTarget.value.trim())}
      maxLength={maxCharacters}
      spellCheck={false}
      w={170}
    />
  )
}

function isEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.nativeEvent.isComposing
}
