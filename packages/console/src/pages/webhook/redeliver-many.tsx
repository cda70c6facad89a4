/**
 * Sends many deliveries again. What would be sent is counted first and confirmed; then the gateway is called batch by
 * batch until nothing is left, or until the operator stops.
 */

import { Alert, Button, Group, Modal, Progress, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { ApiError, call, type ResultOf } from '../../api/client.ts'
import type { KeyOf } from '../../api/keys.ts'
import { useAttempt } from '../../parts/attempt.tsx'
import { FailureText } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import {
  type DeliveryFilters,
  describeFilters,
  findUnusable,
  type Selection,
  toSelection,
  type Which,
} from './selection.ts'

const kinds = ['dead', 'missing', 'all'] as const satisfies readonly Which[]
/** The most batches of one confirmation. With 500 deliveries a batch, this is a million. */
const maxBatches = 2_000

type Counted = ResultOf<'/admin/api/webhook-redeliveries/count', 'post'>['data']

interface Progressing {
  readonly total: number
  readonly sent: number
  readonly state: 'running' | 'stopping' | 'ended'
}

/** What a run has sent, and the most that the gateway may have left for the next batch. */
interface Place {
  readonly batch: number
  readonly sent: number
  readonly expected_count: number
}

interface RedeliverProps {
  /** The filters of the list, which narrow what is sent again. */
  readonly filters: DeliveryFilters
  readonly isDead: boolean
}

/** Sends again what the filters leave; not while one of them cannot be applied, so that no more is sent than is meant. */
export function RedeliverMany({ filters, isDead }: RedeliverProps) {
  const t = useTexts()
  const reasonId = useId()
  const unusable = findUnusable(filters)
  // What was counted, and a run, belong to the filters with which they began.
  if (unusable.length === 0)
    return <RedeliverDialog key={JSON.stringify(filters)} filters={filters} isDead={isDead} />
  return (
    <>
      <Text size="sm" c="dimmed" id={reasonId}>
        {t('redeliver_blocked', { filters: unusable.join(', ') })}
      </Text>
      <Button variant="default" disabled aria-describedby={reasonId}>
        {t('redeliver_many')}
      </Button>
    </>
  )
}

function RedeliverDialog({ filters, isDead }: RedeliverProps) {
  const t = useTexts()
  const [opened, dialog] = useDisclosure(false)
  const [which, setWhich] = useState<Which>('dead')
  const selection = toSelection(which, filters)
  const run = useRedelivery(selection)
  const open = () => {
    run.reset()
    dialog.open()
  }
  // Until the last batch of a run has ended, the dialog stays: a second run would overlap with it.
  const close = () => {
    if (run.isSending) run.stop()
    else dialog.close()
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
            disabled={run.isSending || run.isLooking}
            allowDeselect={false}
          />
          <Narrowed selection={selection} />
          <Outcome run={run} filters={filters} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} loading={run.progress?.state === 'stopping'}>
              {t(run.isSending ? 'stop' : 'close')}
            </Button>
            {run.counted === undefined ? (
              <Button onClick={run.look} loading={run.isLooking}>
                {t('redeliver_count')}
              </Button>
            ) : (
              <Button
                onClick={run.start}
                disabled={isNone(run.counted) || (run.progress !== undefined && run.failure === undefined)}
                loading={run.isSending}
              >
                {run.failure
                  ? t('try_again')
                  : t(run.counted.has_more ? 'redeliver_start_more' : 'redeliver_start', {
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
function Narrowed({ selection: { which: _which, ...narrowing } }: { readonly selection: Selection }) {
  const t = useTexts()
  const given = describeFilters(narrowing)
  return (
    <Text size="sm" c="dimmed">
      {given.length === 0
        ? t('redeliver_everything')
        : t('redeliver_narrowed', { filters: given.join(', ') })}
    </Text>
  )
}

function isNone({ count, has_more }: Counted): boolean {
  return count === 0 && !has_more
}

interface OutcomeProps {
  readonly run: ReturnType<typeof useRedelivery>
  readonly filters: DeliveryFilters
}

function Outcome({ run, filters: { channel_code, endpoint_id, type, since, until } }: OutcomeProps) {
  const t = useTexts()
  const { counted, progress, failure, isSending } = run
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
            animated={isSending}
          />
          {/* No link while it runs: whoever leaves the list stops the run. */}
          <Text size="sm" mt={6}>
            {t('redeliver_sent', { n: progress.sent })}{' '}
            {!isSending && (
              <Link to="/deliveries" search={{ channel_code, endpoint_id, type, since, until }}>
                {t('redeliver_show')}
              </Link>
            )}
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
  const t = useTexts()
  const client = useQueryClient()
  const [counted, setCounted] = useState<Counted>()
  const [progress, setProgress] = useState<Progressing>()
  const { isRunning, failure, restart, run } = useAttempt(t('redeliver_many'))
  /** Stops the run after the batch that is under way, which the gateway ends in any case. */
  const stopping = useRef<AbortController>(undefined)
  /** Where a run goes on of which a batch failed. */
  const place = useRef<Place>(undefined)
  // A page that is gone has no button that stops.
  useEffect(() => () => stopping.current?.abort(), [])

  const forgetCount = () => {
    setCounted(undefined)
    setProgress(undefined)
    place.current = undefined
  }
  const reset = () => {
    forgetCount()
    restart()
  }
  const look = () =>
    run(async () => {
      setCounted((await call('post', '/admin/api/webhook-redeliveries/count', { body: selection })).data)
    })
  const change = (part: Partial<Progressing>) => setProgress((last) => last && { ...last, ...part })
  const start = () =>
    run(async (keyOf) => {
      const total = counted?.count ?? 0
      // A count that ended early was confirmed as "at least so many", and the gateway may come further with its own.
      const expected_count = counted?.has_more ? Number.MAX_SAFE_INTEGER : total
      const from = place.current ?? { batch: 0, sent: 0, expected_count }
      const controller = new AbortController()
      stopping.current = controller
      setProgress({ total, sent: from.sent, state: 'running' })
      const report = (next: Place) => {
        place.current = next
        change({ sent: next.sent })
      }
      try {
        await sendAll({ selection, from, keyOf, report, stopped: controller.signal })
      } catch (error) {
        // The gateway would refuse the same number again.
        if (error instanceof ApiError && error.param === 'expected_count') forgetCount()
        throw error
      } finally {
        change({ state: 'ended' })
        void client.invalidateQueries()
      }
    })
  const stop = () => {
    stopping.current?.abort()
    change({ state: 'stopping' })
  }
  const isSending = isRunning && progress !== undefined
  return {
    counted,
    isLooking: isRunning && !isSending,
    isSending,
    progress,
    failure,
    reset,
    look,
    start,
    stop,
  }
}

interface Run {
  readonly selection: Selection
  readonly from: Place
  readonly keyOf: KeyOf
  readonly report: (place: Place) => void
  readonly stopped: AbortSignal
}

/** Sends batch by batch and reports how many were sent so far, until it is stopped. Throws `ApiError`. */
async function sendAll({ selection, from, keyOf, report, stopped }: Run): Promise<void> {
  let place = from
  while (place.batch < maxBatches && !stopped.aborted) {
    const body = { ...selection, expected_count: place.expected_count }
    // Two batches may have the same body, but each has a key of its own.
    const key = keyOf(JSON.stringify([place.batch, body]))
    const { data } = await call('post', '/admin/api/webhook-redeliveries', { body }, { key })
    place = {
      batch: place.batch + 1,
      sent: place.sent + data.redelivered,
      expected_count: data.remaining,
    }
    report(place)
    if (data.remaining === 0) return
  }
}
