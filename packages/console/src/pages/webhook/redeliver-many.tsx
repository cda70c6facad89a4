/**
 * Sends many deliveries again. What would be sent is counted first and confirmed; then the gateway is called batch by
 * batch until nothing is left, or until the operator stops.
 */

import { Alert, Button, Group, Modal, Progress, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ApiError, call, type InputOf, type ResultOf } from '../../api/client.ts'
import { FailureText } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'

type Selection = InputOf<'/admin/api/webhook-redeliveries/count', 'post'>['body']
type Which = Selection['which']

const kinds = ['dead', 'missing', 'all'] as const satisfies readonly Which[]
/** The most batches of one confirmation. With 500 deliveries a batch, this is a million. */
const maxBatches = 2_000

interface Filters {
  readonly channel_code?: string | undefined
  readonly endpoint_id?: string | undefined
  readonly type?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

type Counted = ResultOf<'/admin/api/webhook-redeliveries/count', 'post'>['data']

interface Progressing {
  readonly total: number
  readonly sent: number
  readonly isRunning: boolean
}

interface RedeliverProps {
  /** The filters of the list, which narrow what is sent again. */
  readonly filters: Filters
  readonly isDead: boolean
}

export function RedeliverMany({ filters, isDead }: RedeliverProps) {
  const t = useTexts()
  const [opened, dialog] = useDisclosure(false)
  const [which, setWhich] = useState<Which>('dead')
  const run = useRedelivery(toSelection(which, filters))
  const open = () => {
    run.reset()
    dialog.open()
  }
  const close = () => {
    run.stop()
    dialog.close()
  }
  return (
    <>
      <Button variant={isDead ? 'filled' : 'default'} onClick={open}>
        {t('redeliver_many')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('redeliver_many')}>
        <Stack gap="md">
          <Select
            label={t('redeliver_which')}
            description={t(`redeliver_${which}_text`)}
            value={which}
            data={kinds.map((value) => ({ value, label: t(`redeliver_${value}`) }))}
            onChange={(value) => {
              setWhich(kinds.find((kind) => kind === value) ?? which)
              run.reset()
            }}
            disabled={run.progress?.isRunning ?? false}
            allowDeselect={false}
          />
          <Narrowed filters={filters} />
          <Outcome run={run} filters={filters} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t(run.progress?.isRunning ? 'stop' : 'close')}
            </Button>
            {run.counted === undefined ? (
              <Button onClick={run.look} loading={run.isLooking}>
                {t('redeliver_count')}
              </Button>
            ) : (
              <Button
                onClick={run.start}
                disabled={isNone(run.counted) || run.progress !== undefined}
                loading={run.progress?.isRunning ?? false}
              >
                {t(run.counted.has_more ? 'redeliver_start_more' : 'redeliver_start', {
                  n: run.counted.count,
                })}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

/** Says which filters of the list apply, so that nobody sends more than is meant. */
function Narrowed({ filters }: { readonly filters: Filters }) {
  const t = useTexts()
  const { channel_code, endpoint_id, type, since, until } = filters
  const given = Object.entries({ channel_code, endpoint_id, type, since, until }).filter(
    ([, value]) => value !== undefined,
  )
  return (
    <Text size="sm" c="dimmed">
      {given.length === 0
        ? t('redeliver_everything')
        : t('redeliver_narrowed', { filters: given.map(([name, value]) => `${name} = ${value}`).join(', ') })}
    </Text>
  )
}

function isNone({ count, has_more }: Counted): boolean {
  return count === 0 && !has_more
}

interface OutcomeProps {
  readonly run: ReturnType<typeof useRedelivery>
  readonly filters: Filters
}

function Outcome({ run, filters: { channel_code, endpoint_id, type, since, until } }: OutcomeProps) {
  const t = useTexts()
  const { counted, progress, failure } = run
  return (
    <>
      {counted && progress === undefined && (
        <Alert color={isNone(counted) ? 'gray' : 'orange'}>
          {isNone(counted)
            ? t('redeliver_nothing')
            : t(counted.has_more ? 'redeliver_counted_more' : 'redeliver_counted', { n: counted.count })}
        </Alert>
      )}
      {progress && (
        <div role="status">
          <Progress
            value={progress.total === 0 ? 100 : (100 * progress.sent) / progress.total}
            animated={progress.isRunning}
          />
          <Text size="sm" mt={6}>
            {t('redeliver_sent', { n: progress.sent })}{' '}
            <Link to="/deliveries" search={{ channel_code, endpoint_id, type, since, until }}>
              {t('redeliver_show')}
            </Link>
          </Text>
        </div>
      )}
      {failure && (
        <Alert color="red" role="alert">
          <FailureText error={failure} />
        </Alert>
      )}
    </>
  )
}

function useRedelivery(selection: Selection) {
  const client = useQueryClient()
  const [counted, setCounted] = useState<Counted>()
  const [isLooking, setLooking] = useState(false)
  const [progress, setProgress] = useState<Progressing>()
  const [failure, setFailure] = useState<ApiError>()
  const isStopped = useRef(false)

  const reset = () => {
    setCounted(undefined)
    setProgress(undefined)
    setFailure(undefined)
  }
  const attempt = async (work: () => Promise<void>) => {
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
    }
  }
  const look = async () => {
    setLooking(true)
    await attempt(async () => {
      setCounted((await call('post', '/admin/api/webhook-redeliveries/count', { body: selection })).data)
    })
    setLooking(false)
  }
  const start = async () => {
    const total = counted?.count ?? 0
    isStopped.current = false
    setProgress({ total, sent: 0, isRunning: true })
    await attempt(() =>
      sendAll(selection, total, (sent) => setProgress({ total, sent, isRunning: true }), isStopped),
    )
    setProgress((last) => last && { ...last, isRunning: false })
    await client.invalidateQueries()
  }
  const stop = () => {
    isStopped.current = true
  }
  return { counted, isLooking, progress, failure, reset, look, start, stop }
}

/** Sends batch by batch and reports how many were sent so far. Throws `ApiError`. */
async function sendAll(
  selection: Selection,
  count: number,
  report: (sent: number) => void,
  isStopped: { readonly current: boolean },
): Promise<void> {
  let sent = 0
  let expected_count = count
  for (let batch = 0; batch < maxBatches && !isStopped.current; batch++) {
    const { data } = await call('post', '/admin/api/webhook-redeliveries', {
      body: { ...selection, expected_count },
    })
    sent += data.redelivered
    expected_count = data.remaining
    report(sent)
    if (data.remaining === 0) return
  }
}

function toSelection(which: Which, { channel_code, endpoint_id, type, since, until }: Filters): Selection {
  return {
    which,
    ...(channel_code === undefined ? {} : { channel_code }),
    ...(endpoint_id === undefined ? {} : { endpoint_id }),
    ...(type === 'stock.changed' || type === 'order.created' ? { type } : {}),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }
}
