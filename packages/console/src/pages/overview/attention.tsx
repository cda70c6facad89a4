import { Alert } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Overview } from './overview.ts'

const places = [
  ['by_person', '/unknown-outcomes'],
  ['writes_in_doubt', '/unknown-outcomes'],
  ['dead_letters', '/dead-letters'],
  ['plan_requests', '/plan-requests'],
  ['lockouts', '/locked-accounts'],
  ['legacy_channels', '/legacy'],
] as const

/** What waits for a person, each with the page where it is done. */
export function Attention({ attention }: Pick<Overview, 'attention'>) {
  const t = useTexts()
  const waiting = places.filter(([name]) => attention[name] > 0)
  if (waiting.length === 0) {
    return (
      <p className="calm">
        <span className="dot" /> {t('attention_none')}
      </p>
    )
  }
  return (
    <Alert color="orange" icon={<Icon name="warning" />} title={t('attention')} className="attention">
      <ul>
        {waiting.map(([name, to]) => (
          <li key={name}>
            <Link to={to}>{t(`attention_${name}`, { n: attention[name] })}</Link>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
