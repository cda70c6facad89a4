import { Button } from '@mantine/core'
import { useState } from 'react'
import { Facts, Section } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { WholeOrder } from './whole-order.ts'

type Person = NonNullable<WholeOrder['dropship_order']>['recipient']

/** The recipient of a drop-ship order. It is covered until asked for, so that a screen that others see shows nobody. */
export function Recipient({ recipient }: { readonly recipient: Person }) {
  const t = useTexts()
  const [isShown, setShown] = useState(false)
  const { name, phone, address, city, state, postal_code, country_code } = recipient
  const button = (
    <Button variant="default" onClick={() => setShown(!isShown)} aria-expanded={isShown}>
      {t(isShown ? 'recipient_cover' : 'recipient_show')}
    </Button>
  )
  return (
    <Section title={t('recipient')} actions={button}>
      {isShown && (
        <Facts
          rows={[
            [t('recipient_name'), name],
            [t('recipient_phone'), phone],
            [t('recipient_address'), address],
            [t('recipient_city'), [postal_code, city, state].filter(Boolean).join(' ')],
            [t('recipient_country'), country_code],
          ]}
        />
      )}
    </Section>
  )
}
