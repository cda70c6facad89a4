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
  validateSearch: takeSearch(['tab', 'page']),
  component: lazyRouteComponent(() => import('./pages/channel.tsx'), 'ChannelPage'),
})

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: takeSearch([
    'request_id',
    'channel_code',
    'code',
    'route',
    'failed',
    'since',
    'until',
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

export const router = createRouter({
  routeTree: root.addChildren([overview, requests, request, channels, channel, planRequests, doubts]),
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
