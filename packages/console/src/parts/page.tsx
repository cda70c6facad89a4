import { Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface PageProps {
  readonly title: string
  readonly text?: ReactNode
  /** Beside the title: the page's actions. */
  readonly actions?: ReactNode
  /** Above the title: the way back to the list. */
  readonly back?: ReactNode
  readonly children: ReactNode
}

/** A page: its title, one sentence that says what it is for, its actions and its content. */
export function Page({ title, text, actions, back, children }: PageProps) {
  useDocumentTitle(`${title} · Trade Gateway`)
  return (
    <>
      <header className="page-head">
        <div>
          {back && <div className="back">{back}</div>}
          <Title order={1}>{title}</Title>
          {text && (
            <Text size="sm" c="dimmed" component="div">
              {text}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly text?: string | undefined
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, text, actions, children }: SectionProps) {
  return (
    <section className="section">
      <div className="section-head">
        <div>
          <Title order={2}>{title}</Title>
          {text && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </div>
      {children}
    </section>
  )
}

export type Fact = readonly [name: string, value: ReactNode]

/** Names and values of one thing. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}
