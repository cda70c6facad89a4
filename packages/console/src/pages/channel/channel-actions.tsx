import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Channel } from './channel.ts'

/** Pauses, resumes or deletes a channel; to delete it, its code must be typed, because that cannot be undone. */
export function ChannelActions({ channel }: { readonly channel: Channel }) {
  const t = useTexts()
  const { channel_code } = channel
  const [typed, setTyped] = useState('')
  const remove = useChange('delete', '/admin/api/channels/{channel_code}')
  const pause = useChange('patch', '/admin/api/channels/{channel_code}')
  const verb = channel.paused ? 'resume' : 'pause'
  const deletion = (
    <Action
      label={t('channel_delete')}
      color="red"
      variant="light"
      title={t('channel_delete_title', { channel: channel_code })}
      consequence={t('channel_delete_text')}
      isReady={typed === channel_code}
      onOpen={() => setTyped('')}
      run={() => remove.mutateAsync({ params: { channel_code } })}
      done={t('channel_deleted', { channel: channel_code })}
    >
      <TextInput
        label={t('type_to_confirm', { text: channel_code })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
      />
    </Action>
  )
  if (channel.deleted) return null
  return (
    <>
      <Action
        label={t(`channel_${verb}`)}
        color={channel.paused ? 'brand' : 'orange'}
        variant="light"
        title={t(`channel_${verb}_title`, { channel: channel_code })}
        consequence={t(`channel_${verb}_text`)}
        run={() => pause.mutateAsync({ params: { channel_code }, body: { paused: !channel.paused } })}
        done={t(`channel_${verb}d`, { channel: channel_code })}
      />
      {deletion}
    </>
  )
}
