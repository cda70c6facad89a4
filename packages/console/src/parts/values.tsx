/** How values of the API are written: times, figures, ids, states. All texts of the ERP and of clients are text only. */

import { ActionIcon, Badge, CopyButton, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { isPlainKey } from '../texts/catalogue.ts'
import { useLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/texts.ts'
import {
  formatDuration,
  formatFigure,
  formatMoney,
  formatShare,
  formatSpan,
  formatTime,
  type TimeForm,
} from './formats.ts'
import { Icon } from './icon.tsx'

/** A time in the reader's own zone, or by its form in UTC; the tooltip has the instant as the API states it. */
export function Time({
  at,
  form = 'second',
}: {
  readonly at: string | null | undefined
  readonly form?: TimeForm
}) {
  const language = useLanguage()
  if (!at) return '–'
  return (
    <time dateTime={at} title={at} className="figure">
      {formatTime(at, form, language)}
    </time>
  )
}

export function Figure({
  value,
  digits = 0,
}: {
  readonly value: number | null | undefined
  readonly digits?: number
}) {
  const language = useLanguage()
  if (value === null || value === undefined) return '–'
  return <span className="figure">{formatFigure(value, digits, language)}</span>
}

/** A part of a whole in percent; nothing if there is no whole. */
export function Share({ part, of }: { readonly part: number; readonly of: number }) {
  const language = useLanguage()
  if (of === 0) return '–'
  return <span className="figure">{formatShare(part, of, language)}</span>
}

export function Money({ amount, currency }: { readonly amount: number; readonly currency: string | null }) {
  return <span className="figure">{formatMoney(amount, currency, useLanguage())}</span>
}

export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  const language = useLanguage()
  if (ms === null || ms === undefined) return '–'
  return <span className="figure">{formatDuration(ms, language)}</span>
}

export function Span({ seconds }: { readonly seconds: number | null | undefined }) {
  const language = useLanguage()
  if (seconds === null || seconds === undefined) return '–'
  return <span className="figure">{formatSpan(seconds, language)}</span>
}

/** An id or code, in full where there is room, with a button that copies it. */
export function Id({ value, children }: { readonly value: string; readonly children?: ReactNode }) {
  return (
    <span className="id">
      {children ?? <span className="mono">{value}</span>}
      <Copy value={value} />
    </span>
  )
}

export function Copy({ value }: { readonly value: string }) {
  const t = useTexts()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={t(copied ? 'copied' : 'copy')}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'green' : 'gray'}
            size="xs"
            onClick={copy}
            aria-label={t(copied ? 'copied' : 'copy')}
            className="copy"
          >
            <Icon name="copy" size={12} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

const colours: Readonly<Record<string, string>> = {
  active: 'green',
  delivered: 'green',
  confirmed: 'green',
  approved: 'green',
  shipped: 'green',
  hold_reserved: 'blue',
  hold_confirmed: 'green',
  circuit_closed: 'green',
  circuit_open: 'red',
  circuit_half_open: 'orange',
  pending: 'blue',
  draft: 'gray',
  preview: 'gray',
  in_doubt: 'orange',
  paused: 'orange',
  dead_letter: 'red',
  failed: 'red',
}

/** A state in words and colour; the colour is never alone. */
export function State({ value }: { readonly value: string }) {
  const t = useTexts()
  const key = `state_${value}`
  return <Badge color={colours[value] ?? 'gray'}>{isPlainKey(key) ? t(key) : value}</Badge>
}

/** An HTTP status and the error code beside it. */
export function StatusCode({ status, code }: { readonly status: number; readonly code: string | null }) {
  const colour = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'green'
  return (
    <span className="status-code">
      <Badge color={colour}>{status}</Badge>
      {code && <span className="mono">{code}</span>}
    </span>
  )
}
