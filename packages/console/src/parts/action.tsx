/** A change: a button, a dialog that says its consequence, and the outcome. */

import { Alert, Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import type { KeyOf } from '../api/keys.ts'
import { useTexts } from '../texts/texts.ts'
import { keepFailure, useAttempt } from './attempt.tsx'
import { FailureText } from './states.tsx'

interface ActionProps extends Pick<ButtonProps, 'color' | 'variant' | 'leftSection' | 'disabled'> {
  readonly label: string
  /** The question of the dialog. */
  readonly title: string
  /** What follows from the change, and whether it can be undone. */
  readonly consequence: ReactNode
  /** Further fields of the dialog. */
  readonly children?: ReactNode
  readonly confirm?: string
  /** The word of the button that closes the dialog and changes nothing. */
  readonly dismiss?: string
  readonly isReady?: boolean
  /**
   * Makes the change, with the keys of this opening of the dialog. Throws `ApiError`, which the dialog shows. With `false`,
   * the dialog stays open.
   */
  readonly run: (keyOf: KeyOf) => Promise<unknown>
  /** What is told once it is done; without it, nothing is told. */
  readonly done?: string
  readonly onOpen?: () => void
}

export function Action({
  label,
  title,
  consequence,
  children,
  confirm = label,
  dismiss,
  isReady = true,
  run,
  done,
  onOpen,
  ...button
}: ActionProps) {
  const t = useTexts()
  const [opened, dialog] = useDisclosure(false)
  const attempt = useAttempt(title)
  const { isRunning, failure } = attempt
  // A refused change is read again, and then its row may have no button any more, or be gone, with its open dialog.
  const leave = useEffectEvent(() => {
    if (opened && failure) keepFailure(title, failure)
  })
  useEffect(() => () => leave(), [])

  const open = () => {
    attempt.restart()
    onOpen?.()
    dialog.open()
  }
  // A change that runs is not cancelled by that, and its outcome would be lost.
  const close = () => {
    if (!isRunning) dialog.close()
  }
  const perform = async (keyOf: KeyOf) => {
    if ((await run(keyOf)) === false) return
    dialog.close()
    if (done) notifications.show({ message: done, color: 'green' })
  }
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} withCloseButton={!isRunning}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            // The second click of a double click may meet a dialog that is closing.
            if (opened) void attempt.run(perform)
          }}
        >
          <Stack gap="md">
            <Text size="sm" component="div">
              {consequence}
            </Text>
            {children}
            {failure && (
              <Alert color="red" role="alert">
                <FailureText error={failure} />
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close} disabled={isRunning}>
                {dismiss ?? t('cancel')}
              </Button>
              <Button
                type="submit"
                color={button.color ?? 'brand'}
                loading={isRunning}
                disabled={!isReady}
                data-autofocus
              >
                {confirm}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
