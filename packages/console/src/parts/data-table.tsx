/**
 * The list of every page: one table on a desk, one card for each row on a phone. A row opens by a click, by Enter on
 * its link, and `j` and `k` go down and up.
 */

import { useHotkeys } from '@mantine/hooks'
import type { UseQueryResult } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import type { ApiError } from '../api/client.ts'
import { useSingleKeys } from './single-keys.ts'
import type { Sort } from './sort.tsx'
import { Loading, Read } from './states.tsx'

/** What a cell without a value shows on a desk; a card on a phone leaves it out. */
export const noValue = '–'
const loadingLines = 9

export interface Column<Row> {
  readonly title: string
  readonly render: (row: Row) => ReactNode
  readonly align?: 'right'
  /** Whether the list is in the order of this column. */
  readonly isSorted?: boolean
  /** Whether the text may break; otherwise a cell is one line. */
  readonly wraps?: boolean
  /** Whether the column takes the room that is left and cuts its text where there is none. */
  readonly fills?: boolean
}

interface TableProps<Row> {
  /** What the table lists, for readers that do not see it. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly empty: ReactNode
  /** Whether the rows are of the previous filters while new ones are read. */
  readonly isStale?: boolean
  /** The direction of the column in whose order the rows are. */
  readonly sort?: Sort
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  isStale = false,
  sort,
}: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null)
  const [hasKeys] = useSingleKeys()
  useHotkeys(
    hasKeys
      ? [
          ['j', () => moveFocus(table.current, 1)],
          ['k', () => moveFocus(table.current, -1)],
        ]
      : [],
  )
  // That there were none before says nothing of what is read now.
  if (rows.length === 0) return isStale ? <Loading lines={loadingLines} /> : empty
  return (
    <div className="table-frame" data-stale={isStale || undefined} aria-busy={isStale}>
      <table className="table" ref={table}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align, isSorted }) => (
              <th key={title} data-align={align} aria-sort={isSorted ? toAriaSort(sort) : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            // The keyboard opens the row's link.
            <tr key={rowKey(row)} onClick={openRow}>
              {columns.map((column) => (
                <Cell key={column.title} column={column} value={column.render(row)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Times grow downwards in a list that shows the oldest first. */
function toAriaSort(sort: Sort | undefined) {
  return sort && (sort === 'oldest' ? 'ascending' : 'descending')
}

interface CellProps {
  readonly column: Pick<Column<never>, 'title' | 'align' | 'wraps' | 'fills'>
  readonly value: ReactNode
}

function Cell({ column: { title, align, wraps, fills }, value }: CellProps) {
  const isEmpty = value === null || value === undefined || value === false || value === noValue
  return (
    <td
      data-label={title}
      data-align={align}
      data-wraps={wraps}
      data-fills={fills}
      data-empty={isEmpty || undefined}
    >
      {isEmpty ? noValue : value}
    </td>
  )
}

interface ListProps<Row> extends Omit<TableProps<Row>, 'rows' | 'isStale'> {
  readonly query: UseQueryResult<{ readonly data: readonly Row[] }, ApiError>
  readonly children?: ReactNode
}

/** A list that is read from the operator's API; `children` is its pager. */
export function DataList<Row>({ query, children, ...table }: ListProps<Row>) {
  return (
    <Read query={query} lines={loadingLines}>
      {({ data }) => (
        <>
          <DataTable {...table} rows={data} isStale={query.isPlaceholderData} />
          {children}
        </>
      )}
    </Read>
  )
}

/** The attribute of the link that opens a row. */
export const rowLink = { 'data-row-link': true }

/** A click anywhere in a row opens it, unless text is being selected or something else in the row was meant. */
function openRow({ target, currentTarget: row }: MouseEvent<HTMLTableRowElement>) {
  // React also passes on the clicks in a dialog that a cell has opened. The dialog is not in the row.
  if (!(target instanceof Element) || !row.contains(target)) return
  if (target.closest('a, button, input, label') !== null || String(getSelection()) !== '') return
  row.querySelector<HTMLElement>('[data-row-link]')?.click()
}

/** Moves the focus to another row; not while a dialog is open, behind which the rows are. */
function moveFocus(table: HTMLTableElement | null, step: number) {
  if (document.querySelector('[aria-modal=true]') !== null) return
  const links = [...(table?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
  const at = links.findIndex((link) => link.matches(':focus'))
  const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
