import { getRouteApi } from '@tanstack/react-router'
import type { RowOf } from '../../api/client.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { Action } from '../../parts/action.tsx'
import { type Column, DataList } from '../../parts/data-table.tsx'
import { Section } from '../../parts/page.tsx'
import { NumberedPager } from '../../parts/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { Id, Time } from '../../parts/values.tsx'
import { useTexts } from '../../texts/texts.ts'

type Token = RowOf<'/admin/api/channels/{channel_code}/tokens'>

const route = getRouteApi('/channels/$channel_code')
const pageSize = 50

/** The live tokens of a channel, without their values; revokes one, or all of an OMS account. */
export function Tokens({ channelCode }: { readonly channelCode: string }) {
  const t = useTexts()
  const { page } = route.useSearch()
  const query = useRead('/admin/api/channels/{channel_code}/tokens', {
    params: { channel_code: channelCode },
    query: { page: Number(page ?? '1'), page_size: pageSize },
  })
  const columns: readonly Column<Token>[] = [
    { title: t('token'), render: ({ jti }) => <Id value={jti} /> },
    {
      title: t('grant'),
      render: ({ grant_type }) => t(grant_type === 'password' ? 'grant_account' : 'grant_client'),
    },
    { title: t('account'), render: ({ username, account_id }) => username ?? account_id ?? '–', wraps: true },
    { title: t('issued'), render: ({ issued_at }) => <Time at={issued_at} /> },
    { title: t('expires'), render: ({ expires_at }) => <Time at={expires_at} /> },
    { title: t('actions'), align: 'right', render: (token) => <TokenActions token={token} /> },
  ]
  return (
    <Section title={t('tab_tokens')} text={t('tokens_text')}>
      <DataList
        query={query}
        caption={t('tab_tokens')}
        columns={columns}
        rowKey={({ jti }) => jti}
        empty={<Empty title={t('tokens_none')} text={t('tokens_none_text')} />}
      >
        <NumberedPager page={page} hasMore={query.data?.has_more ?? false} />
      </DataList>
    </Section>
  )
}

function TokenActions({ token }: { readonly token: Token }) {
  const t = useTexts()
  const { jti, account_id, channel_code, username } = token
  const one = useChange('delete', '/admin/api/tokens/{jti}')
  const all = useChange('delete', '/admin/api/channels/{channel_code}/accounts/{account_id}/tokens')
  return (
    <span className="inline">
      <Action
        label={t('token_revoke')}
        color="red"
        variant="light"
        title={t('token_revoke_title')}
        consequence={t('token_revoke_text')}
        run={(keyOf) => one.mutateAsync({ keyOf, params: { jti } })}
        done={t('token_revoked')}
      />
      {account_id !== null && (
        <Action
          label={t('account_revoke')}
          color="red"
          variant="light"
          title={t('account_revoke_title', { account: username ?? account_id })}
          consequence={t('account_revoke_text')}
          run={(keyOf) => all.mutateAsync({ keyOf, params: { channel_code, account_id } })}
          done={t('token_revoked')}
        />
      )}
    </span>
  )
}
