/** The choice of columns of a list. It is kept in this browser, by list. */

import { Button, Menu } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useTexts } from '../texts/texts.ts'
import { toChoice } from './column-choice.ts'
import type { Column } from './data-table.tsx'
import { Icon } from './icon.tsx'

export type ListName = 'requests' | 'orders' | 'deliveries'

/** A column that can be hidden, or one that always shows if it has no name. */
export interface NamedColumn<Row> extends Column<Row> {
  /** What the choice is kept under; it does not change with the language. */
  readonly name?: string
  /** Whether the column shows only after it was chosen. */
  readonly isExtra?: boolean
}

/** Returns the chosen columns of a list, and the menu that chooses them. */
export function useColumns<Row>(list: ListName, columns: readonly NamedColumn<Row>[]) {
  const [choice, setChoice] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: `trade-gateway.columns.${list}`,
    defaultValue: {},
    getInitialValueInEffect: false,
    deserialize: toChoice,
  })
  const isShown = ({ name, isExtra = false }: NamedColumn<Row>) =>
    name === undefined || (choice[name] ?? !isExtra)
  const choose = (name: string, shown: boolean) => setChoice((before) => ({ ...before, [name]: shown }))
  const menu = <ColumnMenu columns={columns} isShown={isShown} choose={choose} />
  return { shown: columns.filter(isShown), menu }
}

interface MenuProps<Row> {
  readonly columns: readonly NamedColumn<Row>[]
  readonly isShown: (column: NamedColumn<Row>) => boolean
  readonly choose: (name: string, shown: boolean) => void
}

function ColumnMenu<Row>({ columns, isShown, choose }: MenuProps<Row>) {
  const t = useTexts()
  return (
    // The placeholder would be a child of the menu that is none of its items.
    <Menu position="bottom-end" closeOnItemClick={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="xs" leftSection={<Icon name="columns" />}>
          {t('columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map((column) => {
          const { name, title } = column
          if (name === undefined) return null
          const shown = isShown(column)
          return (
            <Menu.CheckboxItem key={name} checked={shown} onChange={(on) => choose(name, on)}>
              {title}
            </Menu.CheckboxItem>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
