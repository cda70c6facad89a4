/** Simple line icons of 16 by 16, always beside a word. */

const paths = {
  overview: 'M2.5 9.5h3v4h-3zM6.5 5.5h3v8h-3zM10.5 2.5h3v11h-3z',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  orders: 'M3 2.5h10v11l-2-1.2-1.7 1.2L8 12.3l-1.3 1.2L5 12.3l-2 1.2zM5.5 6h5M5.5 9h3',
  doubts: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM6.3 6.4A1.8 1.8 0 1 1 8.6 8.1c-.4.2-.6.5-.6.9M8 11.2v.1',
  holds: 'M5.5 2.5v11M10.5 2.5v11',
  channels: 'M2.5 13.5v-6L8 3l5.5 4.5v6zM6.5 13.5v-4h3v4',
  plans: 'M8 13V3M4 7l4-4 4 4',
  lockouts: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  feedback: 'M2.5 3h11v8H8l-3 2.5V11H2.5z',
  legacy: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM8 5v3.2l2 1.6',
  webhooks: 'M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10',
  deliveries: 'M2.5 3.5h11v9h-11zM2.5 4.5 8 9l5.5-4.5',
  dead: 'M2.5 3.5h11v9h-11zM6 6.2l4 3.8M10 6.2 6 10',
  upstream: 'M3 3h10v4H3zM3 9h10v4H3zM5.3 5h.1M5.3 11h.1',
  stock: 'M8 2 13.5 5v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6',
  audit: 'M4 2.5h6l2.5 2.5v8.5H4zM6 8h4.5M6 10.7h3',
  settings: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  light:
    'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  refresh: 'M13 3.5v3h-3M13 6.3A5.3 5.3 0 1 0 13.3 9',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3l8 5-8 5z',
  newest: 'M5 2.5v11M2.5 11 5 13.5 7.5 11M9.5 4h4M9.5 8h3M9.5 12h2',
  oldest: 'M5 13.5v-11M2.5 5 5 2.5 7.5 5M9.5 4h2M9.5 8h3M9.5 12h4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" className="icon">
      <path d={paths[name]} />
    </svg>
  )
}
