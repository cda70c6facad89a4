import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { useAttempt } from '../../parts/attempt.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { FailureText } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Channel, type ChannelDraft, findChanges, toDraft } from './channel.ts'
import { ChannelForm } from './channel-form.tsx'

/** Changes what a channel may do. If another operator changed it in the meantime, nothing is overwritten. */
export function Permissions({ channel }: { readonly channel: Channel }) {
  const t = useTexts()
  const { channel_code } = channel
  /** The channel as it was when the form was filled. */
  const [base, setBase] = useState(channel)
  const [draft, setDraft] = useState(() => toDraft(channel))
  const change = useChange('patch', '/admin/api/channels/{channel_code}')
  const { isRunning, failure, clear, run } = useAttempt(t('tab_permissions'))
  const changes = findChanges(base, draft)
  const isChanged = Object.keys(changes).length > 0
  // The gateway compares as well, for a change that this page has not read yet.
  // After a save, the form is ahead of the page until that is read again.
  const isBehind = base.updated_at < channel.updated_at
  const isOutdated = isBehind || failure?.param === 'expected_updated_at'
  const rebase = (from: Channel) => {
    setBase(from)
    clear()
  }
  const refill = (from: Channel) => {
    rebase(from)
    setDraft(toDraft(from))
  }
  if (isOutdated && !isRunning) {
    // Without changes of one's own, the form follows the channel; also if the channel has them, saved without a response.
    if (!isChanged || hasFields(channel, draft)) refill(channel)
    // What has no field here, such as a pause, concerns no change of the form.
    else if (isBehind && hasFields(base, channel)) rebase(channel)
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async (keyOf) => {
      const body = { ...changes, expected_updated_at: base.updated_at }
      refill((await change.mutateAsync({ keyOf, params: { channel_code }, body })).data)
      notifications.show({ message: t('channel_saved'), color: 'green' })
    })
  }
  return (
    <form onSubmit={submit} className="form">
      <Stack gap="lg">
        {/* The response fills the form again: what is typed before that would be lost. */}
        <Fieldset variant="unstyled" disabled={isRunning}>
          <ChannelForm draft={draft} onChange={setDraft} problem={failure} />
        </Fieldset>
        {isOutdated && isChanged && (
          <Alert color="orange" title={t('conflict_title')} role="alert">
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{t('conflict_text')}</Text>
              <Button variant="default" onClick={() => refill(channel)}>
                {t('conflict_reload')}
              </Button>
            </Stack>
          </Alert>
        )}
        {failure && !isOutdated && (
          <Alert color="red" role="alert">
            <FailureText error={failure} />
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" loading={isRunning} disabled={!isChanged || isOutdated}>
            {t('save')}
          </Button>
          <Button variant="default" disabled={!isChanged || isRunning} onClick={() => refill(channel)}>
            {t('discard')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('channel_save_text')}
          </Text>
        </Group>
      </Stack>
      <LeaveGuard isOn={isChanged} loss={t('leave_edits')} />
    </form>
  )
}

/** Whether a channel has these values in all changeable fields. */
function hasFields(channel: Channel, fields: ChannelDraft): boolean {
  return Object.keys(findChanges(channel, toDraft(fields))).length === 0
}
