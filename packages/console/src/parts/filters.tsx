/** The filters of a list. They are in the address, so that a link or a reload shows the same rows. */

import { Button, Select, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
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
  const place = useRef<HTMLElement>(null)
  const set = (name: string, value: string | undefined) => {
    if ((search[name] ?? '') === (value ?? '')) return
    // Another filter begins again at the first page.
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [name]: value || undefined, cursor: undefined, page: undefined }),
    })
  }
  const clear = () => {
    // The button goes away with the filters, and the focus would be back at the top of the page.
    place.current?.focus()
    const none = Object.fromEntries(fields.map(({ name }) => [name, undefined]))
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...none, cursor: undefined, page: undefined }),
    })
  }
  const own = Object.fromEntries(fields.map(({ name }) => [name, search[name]]))
  return (
    <search className="filters" aria-label={t('filters')} ref={place} tabIndex={-1}>
      {fields.map((field) => (
        <Filter key={field.name} field={field} value={search[field.name]} set={set} />
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

function Filter({ field, value, set }: FilterProps) {
  const t = useTexts()
  const { name, label, kind, choices = [] } = field
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
  return <TypedFilter field={field} value={value} set={set} />
}

/** A filter that is typed. It applies once Enter is pressed or the focus leaves it. */
function TypedFilter({ field: { name, label, kind }, value, set }: FilterProps) {
  const t = useTexts()
  const isTime = kind === 'time'
  const shown = isTime ? toLocalInput(value) : (value ?? '')
  const [typed, setTyped] = useState(shown)
  const [shownValue, setShownValue] = useState(value)
  // The value of another address replaces what was typed. The input stays the same one, so that it keeps the focus.
  if (shownValue !== value) {
    setShownValue(value)
    setTyped(shown)
  }
  const apply = () => set(name, isTime ? readEdited(typed, value) : typed.trim())
  return (
    <TextInput
      size="xs"
      label={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => isEnter(event) && apply()}
      {...(isTime
        ? { type: 'datetime-local' }
        : { placeholder: t('any'), maxLength: maxCharacters, spellCheck: false, w: 170 })}
    />
  )
}

function isEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.nativeEvent.isComposing
}
