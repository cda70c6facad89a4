import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Channel } from './channel.ts'

/** Pauses, resumes or deletes a channel; to delete it, its code must be typed, because that cannot be undone. */
export function ChannelActions({ channel }: { readonly channel: Channel }) {
  const t = useTexts()
  const { channel_code } = channel
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const remove = useChange('delete', '/admin/api/channels/{channel_code}')
  return (
    <>
      <PauseOrResume channel={channel} />
      <Action
        label={t('channel_delete')}
        color="red"
        variant="light"
        title={t('channel_delete_title', { channel: channel_code })}
        consequence={t('channel_delete_text')}
        isReady={typed === channel_code}
        onOpen={() => setTyped('')}
        run={async (keyOf) => {
          await remove.mutateAsync({ keyOf, params: { channel_code } })
          // The API does not return a deleted channel, so its page would go on showing what it was.
          await navigate({ to: '/channels', replace: true, ignoreBlocker: true })
        }}
        done={t('channel_deleted', { channel: channel_code })}
      >
        <TextInput
          label={t('type_to_confirm', { text: channel_code })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
      </Action>
    </>
  )
}

function PauseOrResume({ channel }: { readonly channel: Channel }) {
  const t = useTexts()
  const pause = useChange('patch', '/admin/api/channels/{channel_code}')
  // The dialog asks about the channel as it was when it opened: a change by somebody else does not turn the question.
  const [asked, setAsked] = useState(channel)
  const { channel_code, updated_at: expected_updated_at } = asked
  const verb = toVerb(asked)
  return (
    <Action
      label={t(`channel_${toVerb(channel)}`)}
      confirm={t(`channel_${verb}`)}
      color={channel.paused ? 'brand' : 'orange'}
      variant="light"
      title={t(`channel_${verb}_title`, { channel: channel_code })}
      consequence={t(`channel_${verb}_text`)}
      onOpen={() => setAsked(channel)}
      run={(keyOf) =>
        pause.mutateAsync({
          keyOf,
          params: { channel_code },
          body: { paused: verb === 'pause', expected_updated_at },
        })
      }
      done={t(`channel_${verb}d`, { channel: channel_code })}
    />
  )
}

function toVerb({ paused }: Channel): 'pause' | 'resume' {
  return paused ? 'resume' : 'pause'
}
