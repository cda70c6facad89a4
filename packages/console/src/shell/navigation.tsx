import { Badge, NavLink, ScrollArea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import { useAttention } from './attention.ts'
import { placeGroups } from './places.ts'

/** The menu, with the number of things that wait for a person. */
export function Navigation() {
  const t = useTexts()
  const attention = useAttention()
  return (
    <ScrollArea type="auto" className="menu">
      <div>
        {placeGroups.map(({ title, places }) => (
          <div key={title ?? 'top'} className="menu-group">
            {title && <div className="menu-title">{t(title)}</div>}
            {places.map(({ to, text, icon, count }) => {
              const waiting = count ? (attention?.[count] ?? 0) : 0
              return (
                <NavLink
                  key={text}
                  component={Link}
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  label={t(text)}
                  leftSection={<Icon name={icon} />}
                  rightSection={
                    waiting > 0 && (
                      <Badge size="sm" color="orange" aria-label={t('waiting', { n: waiting })}>
                        {waiting}
                      </Badge>
                    )
                  }
                />
              )
            })}
          </div>
        ))}
      </div>
    </ScrollArea>
  )
}
