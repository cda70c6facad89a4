import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Fact, Facts } from '../../parts/page.tsx'
import { State, Time } from '../../parts/values.tsx'
import type { PlainKey } from '../../texts/catalogue.ts'
import { useTexts } from '../../texts/texts.ts'

type Writes = ResultOf<'/admin/api/upstream', 'get'>['data']['writes']

const minuteSeconds = 60
const choices = [5, 15, 30, 60, 240, 1440]
const maxReason = 200

/** Pauses writes to the ERP for a stated time, or resumes them. */
export function PauseWrites({ writes }: { readonly writes: Writes }) {
  const t = useTexts()
  const [minutes, setMinutes] = useState('15')
  const [reason, setReason] = useState('')
  const pause = useChange('post', '/admin/api/upstream/pause')
  const resume = useChange('delete', '/admin/api/upstream/pause')
  // The dialog asks about the pause for which it opened: one by somebody else does not take its place.
  const [asked, setAsked] = useState(writes)
  const isPaused = writes.paused_until !== null
  const words = reason.trim()
  return (
    <>
      {isPaused && (
        <Action
          label={t('resume_writes')}
          variant="filled"
          leftSection={<Icon name="play" />}
          title={t('resume_writes')}
          consequence={t('resume_text')}
          onOpen={() => setAsked(writes)}
          run={(keyOf) =>
            resume.mutateAsync({ keyOf, query: { expected_paused_at: asked.paused_at ?? undefined } })
          }
          done={t('resumed')}
        >
          <Facts rows={toPauseFacts(asked, t)} />
        </Action>
      )}
      <Action
        label={t(isPaused ? 'pause_again' : 'pause_writes')}
        color="orange"
        variant="light"
        leftSection={<Icon name="pause" />}
        title={t('pause_title')}
        consequence={t('pause_text')}
        run={(keyOf) => {
          const seconds = Number(minutes) * minuteSeconds
          return pause.mutateAsync({ keyOf, body: { seconds, ...(words === '' ? {} : { reason: words }) } })
        }}
        done={t('paused')}
      >
        <Select
          label={t('pause_length')}
          value={minutes}
          data={choices.map((n) => ({
            value: String(n),
            label: n < 60 ? t('minutes', { n }) : t('hours', { n: n / 60 }),
          }))}
          onChange={(value) => value && setMinutes(value)}
          allowDeselect={false}
        />
        <TextInput
          label={t('reason')}
          description={t('pause_reason_text')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={maxReason}
        />
      </Action>
    </>
  )
}

export function WritesFacts({ writes }: { readonly writes: Writes }) {
  const t = useTexts()
  if (!writes.enabled) return <Facts rows={[[t('state'), t('writes_disabled')]]} />
  if (writes.paused_until === null)
    return <Facts rows={[[t('state'), <State key="state" value="active" />]]} />
  return <Facts rows={[[t('state'), <State key="state" value="paused" />], ...toPauseFacts(writes, t)]} />
}

function toPauseFacts(writes: Writes, t: (key: PlainKey) => string): readonly Fact[] {
  return [
    [t('paused_until'), <Time key="until" at={writes.paused_until} />],
    [t('paused_at'), <Time key="at" at={writes.paused_at} />],
    [t('paused_by'), writes.paused_by],
    [t('reason'), writes.reason],
  ]
}
