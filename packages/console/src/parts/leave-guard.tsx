import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'

type Way = Parameters<ShouldBlockFn>[0]

/** Filters, tabs and dialogs are in the address too, and lose nothing. */
const leadsAway = ({ current, next }: Way) => current.pathname !== next.pathname

/** Keeps the page while a change is made whose outcome nothing else shows: a second, usually. */
export function useStayWhile(isRunning: boolean) {
  useBlocker({ shouldBlockFn: leadsAway, enableBeforeUnload: isRunning, disabled: !isRunning })
}

interface LeaveGuardProps {
  /** Whether something would be lost. */
  readonly isOn: boolean
  /** What would be lost. */
  readonly loss: string
}

/** Asks before the page is left, by a link, the history or the browser, while something would be lost. */
export function LeaveGuard({ isOn, loss }: LeaveGuardProps) {
  const t = useTexts()
  const leaving = useBlocker({
    shouldBlockFn: leadsAway,
    enableBeforeUnload: isOn,
    disabled: !isOn,
    withResolver: true,
  })
  return (
    <Modal opened={leaving.status === 'blocked'} onClose={() => leaving.reset?.()} title={t('leave_title')}>
      <Stack gap="md">
        <Text size="sm">{loss}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => leaving.proceed?.()}>
            {t('leave')}
          </Button>
          <Button onClick={() => leaving.reset?.()} data-autofocus>
            {t('stay')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
