import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Figure } from '../../parts/values.tsx'

interface BarRow {
  readonly name: string
  readonly value: number
  /** How the value is written; a plain figure without it. */
  readonly shown?: ReactNode
  readonly note?: string | undefined
  readonly href: Pick<LinkProps, 'to' | 'search'>
}

const maxRows = 10

/** Names with bars in proportion to their values; each opens what is behind it. */
export function BarList({ rows, empty }: { readonly rows: readonly BarRow[]; readonly empty: string }) {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  if (rows.length === 0) return <p className="muted">{empty}</p>
  return (
    <ul className="bar-list">
      {rows.slice(0, maxRows).map(({ name, value, shown, note, href }) => (
        <li key={name}>
          <Link {...href}>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(100 * value) / most} height="1" />
            </svg>
            <span className="bar-list-name">{name}</span>
            {note && <span className="muted">{note}</span>}
            <span className="bar-list-value">{shown ?? <Figure value={value} />}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
