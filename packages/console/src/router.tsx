import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { NotFoundPage } from './parts/states.tsx'
import { parseSearch, takeSearch, writeSearch } from './search.ts'
import { Frame } from './shell/frame.tsx'

const root = createRootRoute({
  validateSearch: takeSearch([]),
  component: Frame,
  notFoundComponent: NotFoundPage,
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: takeSearch(['hours']),
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
})
const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  validateSearch: takeSearch(['page', 'create']),
  component: lazyRouteComponent(() => import('./pages/channels.tsx'), 'ChannelsPage'),
})
const channel = createRoute({
  getParentRoute: () => root,
  path: '/channels/$channel_code',
  validateSearch: takeSearch(['tab', 'page', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/channel.tsx'), 'ChannelPage'),
})

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: takeSearch([
    'request_id',
    'client_order_number',
    'channel_code',
    'code',
    'route',
    'failed',
    'since',
    'until',
    'sort',
    'cursor',
    'live',
  ]),
  component: lazyRouteComponent(() => import('./pages/requests.tsx'), 'RequestsPage'),
})
const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$request_id',
  component: lazyRouteComponent(() => import('./pages/request.tsx'), 'RequestPage'),
})
const planRequests = createRoute({
  getParentRoute: () => root,
  path: '/plan-requests',
  validateSearch: takeSearch(['status', 'page']),
  component: lazyRouteComponent(() => import('./pages/plan-requests.tsx'), 'PlanRequestsPage'),
})
const doubts = createRoute({
  getParentRoute: () => root,
  path: '/unknown-outcomes',
  component: lazyRouteComponent(() => import('./pages/doubts.tsx'), 'DoubtsPage'),
})
const upstream = createRoute({
  getParentRoute: () => root,
  path: '/upstream',
  component: lazyRouteComponent(() => import('./pages/upstream.tsx'), 'UpstreamPage'),
})
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: takeSearch(['channel_code', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
})
const deliveryFilters = [
  'channel_code',
  'endpoint_id',
  'event_id',
  'type',
  'since',
  'until',
  'sort',
  'cursor',
] as const
const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/deliveries',
  validateSearch: takeSearch([...deliveryFilters, 'status']),
  component: lazyRouteComponent(() => import('./pages/deliveries.tsx'), 'DeliveriesPage'),
})
const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/dead-letters',
  validateSearch: takeSearch(deliveryFilters),
  component: lazyRouteComponent(() => import('./pages/deliveries.tsx'), 'DeadLettersPage'),
})
const delivery = createRoute({
  getParentRoute: () => root,
  path: '/deliveries/$delivery_id',
  component: lazyRouteComponent(() => import('./pages/delivery.tsx'), 'DeliveryPage'),
})
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: takeSearch([
    'changes',
    'actor',
    'action',
    'subject',
    'within',
    'since',
    'until',
    'sort',
    'cursor',
  ]),
  component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
})
const auditRow = createRoute({
  getParentRoute: () => root,
  path: '/audit/$audit_id',
  component: lazyRouteComponent(() => import('./pages/audit-row.tsx'), 'AuditRowPage'),
})
const stock = createRoute({
  getParentRoute: () => root,
  path: '/stock',
  validateSearch: takeSearch(['sku']),
  component: lazyRouteComponent(() => import('./pages/stock.tsx'), 'StockPage'),
})
const holds = createRoute({
  getParentRoute: () => root,
  path: '/holds',
  validateSearch: takeSearch(['hold_id', 'sku', 'channel_code', 'status', 'source', 'sort', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/holds.tsx'), 'HoldsPage'),
})
const lockouts = createRoute({
  getParentRoute: () => root,
  path: '/locked-accounts',
  validateSearch: takeSearch(['cursor']),
  component: lazyRouteComponent(() => import('./pages/lockouts.tsx'), 'LockoutsPage'),
})
const legacy = createRoute({
  getParentRoute: () => root,
  path: '/legacy',
  component: lazyRouteComponent(() => import('./pages/legacy.tsx'), 'LegacyPage'),
})
const feedback = createRoute({
  getParentRoute: () => root,
  path: '/feedback',
  component: lazyRouteComponent(() => import('./pages/feedback.tsx'), 'FeedbackPage'),
})
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
})
const orders = createRoute({
  getParentRoute: () => root,
  path: '/orders',
  validateSearch: takeSearch([
    'client_order_number',
    'channel_code',
    'kind',
    'status',
    'in_doubt',
    'since',
    'until',
    'sort',
    'cursor',
  ]),
  component: lazyRouteComponent(() => import('./pages/orders.tsx'), 'OrdersPage'),
})
const order = createRoute({
  getParentRoute: () => root,
  path: '/orders/$order_id',
  component: lazyRouteComponent(() => import('./pages/order.tsx'), 'OrderPage'),
})

export const router = createRouter({
  // The page of another document begins anew: what one uncovered or edited is not the next one's.
  defaultRemountDeps: ({ params }) => params,
  routeTree: root.addChildren([
    overview,
    requests,
    request,
    channels,
    channel,
    planRequests,
    doubts,
    upstream,
    webhooks,
    deliveries,
    deadLetters,
    delivery,
    audit,
    auditRow,
    stock,
    holds,
    lockouts,
    legacy,
    feedback,
    settings,
    orders,
    order,
  ]),
  basepath: '/admin',
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
