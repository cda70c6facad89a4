import { Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import type { KeyOf } from '../../api/keys.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'

const path = '/admin/api/recipients/erase'
type Outcome = ResultOf<typeof path, 'post'>['data']

const maxName = 100
const maxPhone = 32

/** Erases the recipient of one drop-ship order. */
export function EraseRecipient({ orderId }: { readonly orderId: string }) {
  const t = useTexts()
  const erase = useChange('post', path)
  return (
    <Action
      label={t('recipient_erase')}
      title={t('recipient_erase_title')}
      consequence={t('recipient_erase_text')}
      color="red"
      run={(keyOf) => erase.mutateAsync({ keyOf, body: { order_id: orderId } })}
      done={t('recipient_erased')}
    />
  )
}

/** Erases a person, found by name and phone, from every drop-ship order that is over. */
export function ErasePerson() {
  const t = useTexts()
  const erase = useChange('post', path)
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const [told, setTold] = useState<{ readonly of: string; readonly outcome: Outcome }>()
  const person = JSON.stringify([name.trim(), phone.trim()])
  const clear = () => {
    setName('')
    setPhone('')
    setTold(undefined)
  }
  // The dialog stays open, because the outcome says what is left to do.
  const run = async (keyOf: KeyOf) => {
    setTold(undefined)
    const { data } = await erase.mutateAsync({ keyOf, body: { name: name.trim(), phone: phone.trim() } })
    setTold({ of: person, outcome: data })
    return false
  }
  return (
    <Action
      label={t('person_erase')}
      title={t('person_erase_title')}
      consequence={t('person_erase_text')}
      color="red"
      isReady={name.trim() !== '' && phone.trim() !== ''}
      onOpen={clear}
      run={run}
    >
      <TextInput
        label={t('recipient_name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={maxName}
        autoComplete="off"
        required
      />
      <TextInput
        label={t('recipient_phone')}
        description={t('person_phone_text')}
        value={phone}
        onChange={(event) => setPhone(event.currentTarget.value)}
        maxLength={maxPhone}
        autoComplete="off"
        required
      />
      {/* The outcome of one person is not that of the next one, whose name is being typed. */}
      {told?.of === person && <Told outcome={told.outcome} />}
    </Action>
  )
}

function Told({ outcome }: { readonly outcome: Outcome }) {
  const t = useTexts()
  const { erased_count: count, not_over: open, has_more } = outcome
  return (
    <Alert color={open.length > 0 || has_more ? 'orange' : 'green'} role="status">
      <p className="no-margin">{t('person_erased', { count })}</p>
      {open.length > 0 && <p className="no-margin">{t('person_not_over', { ids: open.join(', ') })}</p>}
      {has_more && <p className="no-margin">{t('person_has_more')}</p>}
    </Alert>
  )
}
