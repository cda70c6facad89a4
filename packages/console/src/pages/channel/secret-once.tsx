import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { Copy } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

export interface IssuedSecret {
  readonly client_id: string
  readonly client_secret: string
}

/**
 * Shows a new secret. It is in no later response, so a click beside the dialog does not close it, nor does another press
 * of the key that created it: the focus is not on the button.
 */
export function SecretOnce({
  secret,
  close,
}: {
  readonly secret: IssuedSecret | undefined
  readonly close: () => void
}) {
  const t = useTexts()
  return (
    <Modal
      opened={secret !== undefined}
      onClose={close}
      title={t('secret_title')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret && (
        <Stack gap="md">
          <Alert color="orange" className="secret-warning" tabIndex={-1} data-autofocus>
            {t('secret_once')}
          </Alert>
          <Credential name="client_id" value={secret.client_id} />
          <Credential name="client_secret" value={secret.client_secret} />
          <Group justify="flex-end">
            <Button onClick={close}>{t('secret_stored')}</Button>
          </Group>
        </Stack>
      )}
      <LeaveGuard isOn={secret !== undefined} loss={t('leave_secret')} />
    </Modal>
  )
}

function Credential({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" className="mono">
        {name}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code className="credential">{value}</Code>
        <Copy value={value} />
      </Group>
    </div>
  )
}
