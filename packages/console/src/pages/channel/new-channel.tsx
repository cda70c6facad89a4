import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
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
  const [code, setCode] = useState('')
  const [draft, setDraft] = useState(newDraft)
  const [secret, setSecret] = useState<IssuedSecret>()
  const problem = create.error ? { param: create.error.param, message: create.error.message } : undefined

  // While the channel is created, the dialog stays: the response has the secret.
  const dismiss = () => {
    if (!create.isPending) close()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(
      { body: { channel_code: code.trim(), ...draft, name: draft.name.trim() } },
      {
        onSuccess: ({ data }) => {
          close()
          setCode('')
          setDraft(newDraft)
          setSecret(data)
        },
      },
    )
  }
  return (
    <>
      <Modal opened={opened} onClose={dismiss} title={t('channel_new')} size="lg">
        <form onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              label={t('channel_code')}
              description={t('channel_code_text')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              error={problem?.param === 'channel_code' && problem.message}
              maxLength={maxCode}
              required
              data-autofocus
            />
            <ChannelForm draft={draft} onChange={setDraft} problem={problem} />
            {create.error && (
              <Alert color="red" role="alert">
                <FailureText error={create.error} />
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={dismiss} disabled={create.isPending}>
                {t('cancel')}
              </Button>
              <Button
                type="submit"
                loading={create.isPending}
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
