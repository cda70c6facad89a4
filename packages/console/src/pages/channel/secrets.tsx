import { useChange } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { useStayWhile } from '../../parts/leave-guard.tsx'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Id, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Channel } from './channel.ts'
import type { IssuedSecret } from './secret-once.tsx'

type Secret = Channel['secrets'][number]

/** How much of a secret's id names it in a question. */
const tailCharacters = 6

interface SecretsProps {
  readonly channel: Channel
  /** Shows a new secret, once. */
  readonly showSecret: (secret: IssuedSecret) => void
}

/** The secrets of a channel, without their values; issues a new one and revokes an old one. */
export function Secrets({ channel, showSecret }: SecretsProps) {
  const t = useTexts()
  const { channel_code } = channel
  const issue = useChange('post', '/admin/api/channels/{channel_code}/secrets')
  useStayWhile(issue.isPending)
  const revoke = useChange('delete', '/admin/api/channels/{channel_code}/secrets/{secret_id}')
  const columns: readonly Column<Secret>[] = [
    { title: t('secret'), render: ({ secret_id }) => <Id value={secret_id} /> },
    { title: t('created'), render: ({ created_at }) => <Time at={created_at} /> },
    {
      title: t('actions'),
      align: 'right',
      render: ({ secret_id, created_at }) => (
        <Action
          label={t('secret_revoke')}
          color="red"
          variant="light"
          title={t('secret_revoke_title', {
            tail: secret_id.slice(-tailCharacters),
            created: new Date(created_at).toLocaleString(),
          })}
          consequence={t('secret_revoke_text')}
          run={(keyOf) => revoke.mutateAsync({ keyOf, params: { channel_code, secret_id } })}
          done={t('secret_revoked')}
        />
      ),
    },
  ]
  const action = (
    <Action
      label={t('secret_issue')}
      title={t('secret_issue')}
      consequence={t('secret_issue_text')}
      run={async (keyOf) => showSecret((await issue.mutateAsync({ keyOf, params: { channel_code } })).data)}
    />
  )
  return (
    <Section title={t('tab_secrets')} text={t('secrets_text')} actions={action}>
      <DataTable
        caption={t('tab_secrets')}
        columns={columns}
        rows={channel.secrets}
        rowKey={({ secret_id }) => secret_id}
        empty={<Empty title={t('secrets_none')} text={t('secrets_none_text')} />}
      />
    </Section>
  )
}
