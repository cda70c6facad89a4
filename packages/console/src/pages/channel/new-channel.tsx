import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { useAttempt } from '../../parts/attempt.tsx'
import { useStayWhile } from '../../parts/leave-guard.tsx'
import { FailureText } from '../../parts/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { newDraft } from './channel.ts'
import { ChannelForm } from './channel-form.tsx'
import { type IssuedSecret, SecretOnce } from './secret-once.tsx'

const maxCode = 64

interface NewChannelProps {
  readonly opened: boolean
  readonly close: () => void
}

/** The dialog that creates a channel and then shows its secret, once. */
export function NewChannel({ opened, close }: NewChannelProps) {
  const t = useTexts()
  const create = useChange('post', '/admin/api/channels')
  const { isRunning, failure, clear, run } = useAttempt(t('channel_new'))
  const [code, setCode] = useState('')
  const [draft, setDraft] = useState(newDraft)
  const [secret, setSecret] = useState<IssuedSecret>()

  // While the channel is created, the page and the dialog stay: the response has the secret.
  useStayWhile(isRunning)
  const dismiss = () => {
    if (!isRunning) close()
  }
  // A refusal of other values is none of these.
  const edit = (change: () => void) => {
    clear()
    change()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async (keyOf) => {
      const { data } = await create.mutateAsync({
        keyOf,
        body: { channel_code: code.trim(), ...draft, name: draft.name.trim() },
      })
      close()
      setCode('')
      setDraft(newDraft)
      setSecret(data)
    })
  }
  return (
    <>
      <Modal
        opened={opened}
        onClose={dismiss}
        // The address closes it too. What was typed stays, but not the failure of another time.
        onExitTransitionEnd={clear}
        title={t('channel_new')}
        size="lg"
      >
        <form onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              label={t('channel_code')}
              description={t('channel_code_text')}
              value={code}
              onChange={(event) => edit(() => setCode(event.currentTarget.value))}
              error={failure?.param === 'channel_code' && failure.message}
              maxLength={maxCode}
              required
              data-autofocus
            />
            <ChannelForm draft={draft} onChange={(next) => edit(() => setDraft(next))} problem={failure} />
            {failure && (
              <Alert color="red" role="alert">
                <FailureText error={failure} />
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={dismiss} disabled={isRunning}>
                {t('cancel')}
              </Button>
              <Button
                type="submit"
                loading={isRunning}
                disabled={code.trim() === '' || draft.name.trim() === ''}
              >
                {t('channel_create')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      <SecretOnce secret={secret} close={() => setSecret(undefined)} />
    </>
  )
}
