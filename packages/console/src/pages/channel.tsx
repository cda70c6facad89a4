import { Alert, Tabs } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/hooks.ts'
import { Page } from '../parts/page.tsx'
import { Read } from '../parts/states.tsx'
import { Id, State } from '../parts/values.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Channel, lacksCustomer, readState } from './channel/channel.ts'
import { ChannelActions } from './channel/channel-actions.tsx'
import { Permissions } from './channel/permissions.tsx'
import { type IssuedSecret, SecretOnce } from './channel/secret-once.tsx'
import { Secrets } from './channel/secrets.tsx'
import { Tokens } from './channel/tokens.tsx'
import { Usage } from './channel/usage.tsx'
import { Webhooks } from './channel/webhooks.tsx'

const route = getRouteApi('/channels/$channel_code')
const tabs = ['permissions', 'secrets', 'tokens', 'usage', 'webhooks'] as const
type Tab = (typeof tabs)[number]

export function ChannelPage() {
  const t = useTexts()
  const { channel_code } = route.useParams()
  const query = useRead('/admin/api/channels/{channel_code}', { params: { channel_code } })
  const channel = query.data?.data
  // Not within what is read, because nothing shows a secret again.
  const [issued, setIssued] = useState<IssuedSecret>()
  return (
    <Page
      title={channel?.name ?? channel_code}
      back={<Link to="/channels">{t('channels')}</Link>}
      text={
        <span className="inline">
          {channel && <State value={readState(channel)} />}
          <Id value={channel_code} />
          {channel && <Id value={channel.client_id} />}
          <Link to="/audit" search={{ within: `/admin/api/channels/${channel_code}` }}>
            {t('channel_changes')}
          </Link>
        </span>
      }
      actions={channel && <ChannelActions channel={channel} />}
    >
      {channel && lacksCustomer(channel) && (
        <Alert color="orange" mb="md">
          {t('customer_missing', { channel: channel_code })}
        </Alert>
      )}
      <Read query={query}>{({ data }) => <ChannelTabs channel={data} showSecret={setIssued} />}</Read>
      <SecretOnce secret={issued} close={() => setIssued(undefined)} />
    </Page>
  )
}

interface TabsProps {
  readonly channel: Channel
  readonly showSecret: (secret: IssuedSecret) => void
}

function ChannelTabs({ channel, showSecret }: TabsProps) {
  const t = useTexts()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const chosen: Tab = tabs.find((each) => each === tab) ?? 'permissions'
  return (
    <Tabs
      value={chosen}
      onChange={(value) => navigate({ search: { tab: value ?? undefined }, replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="lg">
        {tabs.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {t(`tab_${each}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {/* Edits that are not saved wait until their tab is shown again. */}
      <Tabs.Panel value="permissions" keepMounted>
        <Permissions channel={channel} />
      </Tabs.Panel>
      <Tabs.Panel value="secrets">
        <Secrets channel={channel} showSecret={showSecret} />
      </Tabs.Panel>
      <Tabs.Panel value="tokens">
        <Tokens channelCode={channel.channel_code} />
      </Tabs.Panel>
      <Tabs.Panel value="usage">
        <Usage channelCode={channel.channel_code} />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <Webhooks channelCode={channel.channel_code} />
      </Tabs.Panel>
    </Tabs>
  )
}
