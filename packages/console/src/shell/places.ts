import type { LinkProps } from '@tanstack/react-router'
import type { IconName } from '../parts/icon.tsx'
import type { PlainKey } from '../texts/catalogue.ts'

/** The pages of the menu. `key` follows `g` on the keyboard; `count` names what waits there in the overview. */
export interface Place {
  readonly to: Exclude<LinkProps['to'], undefined>
  readonly text: PlainKey
  readonly key: string
  readonly icon: IconName
  readonly count?: 'dead_letters' | 'plan_requests' | 'lockouts' | 'writes_in_doubt' | 'legacy_channels'
}

export const placeGroups: readonly {
  readonly title: PlainKey | undefined
  readonly places: readonly Place[]
}[] = [
  { title: undefined, places: [{ to: '/', text: 'overview', key: 'o', icon: 'overview' }] },
  {
    title: 'group_traffic',
    places: [
      { to: '/requests', text: 'requests', key: 'r', icon: 'requests' },
      { to: '/orders', text: 'orders', key: 'q', icon: 'orders' },
      { to: '/unknown-outcomes', text: 'doubts', key: 'u', icon: 'doubts', count: 'writes_in_doubt' },
      { to: '/holds', text: 'holds', key: 'h', icon: 'holds' },
    ],
  },
  {
    title: 'group_access',
    places: [
      { to: '/channels', text: 'channels', key: 'c', icon: 'channels' },
      { to: '/plan-requests', text: 'plan_requests', key: 'p', icon: 'plans', count: 'plan_requests' },
      { to: '/locked-accounts', text: 'lockouts', key: 'l', icon: 'lockouts', count: 'lockouts' },
      { to: '/legacy', text: 'legacy', key: 'y', icon: 'legacy', count: 'legacy_channels' },
    ],
  },
  {
    title: 'group_webhooks',
    places: [
      { to: '/webhooks', text: 'endpoints', key: 'w', icon: 'webhooks' },
      { to: '/deliveries', text: 'deliveries', key: 'd', icon: 'deliveries' },
      { to: '/dead-letters', text: 'dead_letters', key: 'x', icon: 'dead', count: 'dead_letters' },
    ],
  },
  {
    title: 'group_system',
    places: [
      { to: '/upstream', text: 'upstream', key: 'e', icon: 'upstream' },
      { to: '/stock', text: 'stock', key: 's', icon: 'stock' },
      { to: '/audit', text: 'audit', key: 'a', icon: 'audit' },
      { to: '/feedback', text: 'feedback', key: 'f', icon: 'feedback' },
      { to: '/settings', text: 'settings', key: ',', icon: 'settings' },
    ],
  },
]

export const places: readonly Place[] = placeGroups.flatMap((group) => group.places)
