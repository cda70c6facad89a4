import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Kbd,
  SegmentedControl,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '../parts/icon.tsx'
import { lock, readSession } from '../session.ts'
import { isLanguage, languageNames, languages, setLanguage, useLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/texts.ts'
import { usePause } from './banners.tsx'
import { useStatus } from './status.ts'

export function Brand() {
  return (
    <Link to="/" className="brand">
      <img src="/favicon.ico" alt="" width={22} height={22} />
      <span className="wide">Trade Gateway</span>
    </Link>
  )
}

/** What the gateway is connected to, the search, language and colours, and who is signed in. */
export function TopBar() {
  const t = useTexts()
  const { status, silentSince } = useStatus()
  const { pausedUntil, isKnown } = usePause()
  const isSilent = silentSince !== undefined
  const actor = readSession()?.actor ?? ''
  return (
    <>
      <Group gap={6} wrap="nowrap" visibleFrom="md">
        {status && (
          <Badge color={isSilent ? 'gray' : status.sandbox ? 'grape' : 'brand'}>
            {t(status.sandbox ? 'env_sandbox' : 'env_production')}
          </Badge>
        )}
        {isSilent || !isKnown ? (
          <Badge color="gray">{t('writes_unknown')}</Badge>
        ) : (
          status && <WritesBadge isEnabled={status.writes_enabled} isPaused={Boolean(pausedUntil)} />
        )}
      </Group>
      <Group gap="xs" wrap="nowrap" className="top-end">
        <Button
          variant="default"
          className="finder"
          onClick={spotlight.open}
          leftSection={<Icon name="search" />}
          rightSection={
            <Kbd size="xs" className="wide" aria-hidden>
              ⌘K
            </Kbd>
          }
        >
          <span className="wide">{t('search')}</span>
        </Button>
        <Preferences />
        <Tooltip label={t('signed_in_as', { actor })}>
          <Button
            variant="default"
            onClick={() => lock('locked')}
            leftSection={<Icon name="lock" />}
            className="locker"
          >
            <span className="wide">{t('lock')}</span>
          </Button>
        </Tooltip>
      </Group>
    </>
  )
}

function WritesBadge({ isEnabled, isPaused }: { readonly isEnabled: boolean; readonly isPaused: boolean }) {
  const t = useTexts()
  return (
    <Badge color={isEnabled && !isPaused ? 'green' : 'orange'}>
      {t(isPaused ? 'writes_paused' : isEnabled ? 'writes_on' : 'writes_off')}
    </Badge>
  )
}

const schemes = { auto: 'system', light: 'light', dark: 'dark' } as const satisfies Record<string, IconName>
const nextScheme = { auto: 'light', light: 'dark', dark: 'auto' } as const

/** Chooses the language and the colours. */
export function Preferences() {
  const t = useTexts()
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const label = t(`colours_${schemes[colorScheme]}`)
  return (
    <Group gap="xs" wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label={t('language')}
        value={language}
        onChange={(value) => isLanguage(value) && setLanguage(value)}
        data={languages.map((value) => ({
          value,
          label: (
            <span lang={value} title={languageNames[value]}>
              {shortNames[value]}
            </span>
          ),
        }))}
      />
      <Tooltip label={label}>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={label}
          onClick={() => setColorScheme(nextScheme[colorScheme])}
        >
          <Icon name={schemes[colorScheme]} />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

const shortNames = { en: 'EN', zh: '中', ko: '한' } as const
