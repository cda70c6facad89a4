import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Notifications, notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../session.ts'
import { useTexts } from '../texts/texts.ts'
import { Banners } from './banners.tsx'
import { CommandBar } from './command-bar.tsx'
import { useIdleLock } from './idle.ts'
import { KeySheet } from './keys.tsx'
import { Navigation } from './navigation.tsx'
import { SignIn } from './sign-in.tsx'
import { Brand, TopBar } from './top-bar.tsx'

/** The frame of every page; before the sign-in, the sign-in page at the same address. */
export function Frame() {
  const isSignedIn = useSession() !== undefined
  const client = useQueryClient()
  // What was read leaves the memory with the token.
  useEffect(() => {
    if (isSignedIn) return
    client.clear()
    notifications.clean()
  }, [isSignedIn, client])
  return isSignedIn ? <SignedIn /> : <SignIn />
}

function SignedIn() {
  const t = useTexts()
  const [opened, menu] = useDisclosure()
  const [hasSheet, keys] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useIdleLock()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu of a phone.
  useEffect(() => menu.close(), [path])
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 236, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={0}
    >
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <AppShell.Header className="top">
        <Group gap="xs" wrap="nowrap">
          <Burger opened={opened} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={t('menu')} />
          <Brand />
        </Group>
        <TopBar />
      </AppShell.Header>
      <AppShell.Navbar className="side" aria-label={t('menu')}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Banners />
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
      {/* Within the router, because they have links. */}
      <Notifications position="bottom-right" />
      <CommandBar showKeys={keys.open} />
      <KeySheet opened={hasSheet} toggle={keys.toggle} />
    </AppShell>
  )
}
