import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { Facts, Section } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import { EraseRecipient } from './erase-recipient.tsx'
import type { WholeOrder } from './whole-order.ts'

type Order = NonNullable<WholeOrder['dropship_order']>

/**
 * The recipient of a drop-ship order. It and the remark are covered until asked for, so that a screen that others see
 * shows nobody.
 */
export function Recipient({ order }: { readonly order: Order }) {
  const t = useTexts()
  const [isShown, setShown] = useState(false)
  const { name, phone, address, city, state, postal_code, country_code, erased } = order.recipient
  if (erased)
    return (
      <Section title={t('recipient')} text={t('recipient_erased')}>
        <Facts rows={[[t('recipient_country'), country_code]]} />
      </Section>
    )
  const buttons = (
    <Group gap="xs">
      <Button variant="default" onClick={() => setShown(!isShown)} aria-expanded={isShown}>
        {t(isShown ? 'recipient_cover' : 'recipient_show')}
      </Button>
      {order.status !== 'pending' && <EraseRecipient orderId={order.dropship_order_id} />}
    </Group>
  )
  return (
    <Section title={t('recipient')} actions={buttons}>
      {isShown && (
        <Facts
          rows={[
            [t('recipient_name'), name],
            [t('recipient_phone'), phone],
            [t('recipient_address'), address],
            [t('recipient_city'), [postal_code, city, state].filter(Boolean).join(' ')],
            [t('recipient_country'), country_code],
            [t('remark'), order.remark],
          ]}
        />
      )}
    </Section>
  )
}
