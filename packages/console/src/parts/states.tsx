/** The designed states of every page and list: loading, nothing there, not allowed, failed. */

import { Alert, Button, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'
import { countFilters } from '../search.ts'
import { useLanguage } from '../texts/language.ts'
import { type Translate, useTexts } from '../texts/texts.ts'
import { formatTime } from './formats.ts'
import { Icon } from './icon.tsx'

interface ReadProps<Data> {
  readonly query: UseQueryResult<Data, ApiError>
  readonly children: (data: Data) => ReactNode
  /** How many lines the placeholder has. */
  readonly lines?: number
}

/**
 * Shows what was read, or the state in which the reading is. What was read stays if it cannot be read again: edits, open
 * dialogs and a new secret are in it.
 */
export function Read<Data>({ query, children, lines = 6 }: ReadProps<Data>) {
  const { data, error } = query
  const retry = () => void query.refetch()
  if (data === undefined) return error ? <Failure error={error} retry={retry} /> : <Loading lines={lines} />
  return (
    <>
      {error && <Outdated error={error} readAt={query.dataUpdatedAt} retry={retry} />}
      {children(data)}
    </>
  )
}

interface OutdatedProps {
  readonly error: ApiError
  /** When what is shown was read, in milliseconds. */
  readonly readAt: number
  readonly retry: () => void
}

/** Says above what was read that it could not be read again. */
function Outdated({ error, readAt, retry }: OutdatedProps) {
  const t = useTexts()
  const time = formatTime(new Date(readAt).toISOString(), 'second', useLanguage())
  return (
    <Alert color="orange" icon={<Icon name="warning" />} role="alert" mb="md" className="outdated">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('outdated', { time })}</Text>
        <FailureText error={error} />
        <Button variant="default" onClick={retry} leftSection={<Icon name="refresh" />}>
          {t('try_again')}
        </Button>
      </Stack>
    </Alert>
  )
}

export function Loading({ lines }: { readonly lines: number }) {
  const t = useTexts()
  return (
    <Stack gap="sm" role="status" aria-label={t('loading')} className="loading">
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <Skeleton key={at} height={18} radius="sm" width={`${92 - ((at * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}

/** A call that failed: what happened, what to do, and the id with which it can be traced. */
export function Failure({ error, retry }: { readonly error: ApiError; readonly retry?: () => void }) {
  const t = useTexts()
  if (error.status === 404) return <Empty title={error.message} text={error.hint} />
  const isDenied = error.status === 401 || error.status === 403
  return (
    <Alert
      color={isDenied ? 'gray' : 'red'}
      icon={<Icon name={isDenied ? 'lock' : 'warning'} />}
      title={isDenied ? t('denied_title') : t('failed_title')}
      role="alert"
      className="failure"
    >
      <Stack gap="xs" align="flex-start">
        <FailureText error={error} />
        {retry && (
          <Button variant="default" onClick={retry} leftSection={<Icon name="refresh" />}>
            {t('try_again')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** The words of a failure, also inside dialogs. */
export function FailureText({ error }: { readonly error: ApiError }) {
  const t = useTexts()
  return (
    <>
      <Text size="sm">
        {toMessage(error, t)} {error.hint}
      </Text>
      <Group gap="xs">
        <Code>{error.code}</Code>
        {error.param && <Code>{error.param}</Code>}
        {error.requestId && (
          <Link to="/requests/$request_id" params={{ request_id: error.requestId }} className="mono">
            {error.requestId}
          </Link>
        )}
      </Group>
    </>
  )
}

function toMessage({ code, message, retryAfter }: ApiError, t: Translate): string {
  if (code === 'UNREACHABLE') return t('unreachable')
  if (code === 'OUTCOME_UNKNOWN') return t('unreachable_write')
  if (code === 'RATE_LIMITED') return t('limited', { seconds: retryAfter ?? 60 })
  return message
}

interface EmptyProps {
  readonly title: string
  readonly text?: string | undefined
  readonly action?: ReactNode
}

export function Empty({ title, text, action }: EmptyProps) {
  return (
    <Stack align="center" gap={6} className="empty">
      <Text fw={600} ta="center">
        {title}
      </Text>
      {text && (
        <Text size="sm" c="dimmed" ta="center" maw={460}>
          {text}
        </Text>
      )}
      {action && <Group mt="xs">{action}</Group>}
    </Stack>
  )
}

interface EmptyListProps extends EmptyProps {
  readonly filters: Readonly<Record<string, string | undefined>>
}

/** A list without rows. Only where no filter could hide some does it say what it means that there are none. */
export function EmptyList({ filters, ...none }: EmptyListProps) {
  const t = useTexts()
  if (countFilters(filters) === 0) return <Empty {...none} />
  return <Empty title={t('filtered_none')} text={t('filtered_none_text')} />
}

export function NotFoundPage() {
  const t = useTexts()
  return (
    <Stack align="center" className="empty">
      <Title order={1}>{t('page_missing')}</Title>
      <Link to="/">{t('overview')}</Link>
    </Stack>
  )
}
