import {
  Alert,
  Anchor,
  Button,
  Code,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type ApiError, tryToken } from '../api/client.ts'
import { useAttempt } from '../parts/attempt.tsx'
import { isActor, isToken, readLockReason, signIn } from '../session.ts'
import { useTexts } from '../texts/texts.ts'
import { Brand, Preferences } from './top-bar.tsx'

/** Whether the gateway has an admin token; it writes so into each page. */
const isDisabled = document.querySelector<HTMLMetaElement>('meta[name=admin-token]')?.content === 'unset'

/** Asks for the admin token and for the name of who acts; without `ADMIN_TOKEN`, explains how to set it. */
export function SignIn() {
  return (
    <main className="sign-in">
      <div className="sign-in-top">
        <Brand />
        <Preferences />
      </div>
      <Paper withBorder shadow="sm" p="xl" className="sign-in-card">
        {isDisabled ? <HowToEnable /> : <SignInForm />}
      </Paper>
    </main>
  )
}

function HowToEnable() {
  const t = useTexts()
  return (
    <Stack gap="sm">
      <Title order={1}>{t('disabled_title')}</Title>
      <Text>{t('disabled_text')}</Text>
      <Code block>{'ADMIN_TOKEN="$(openssl rand -base64 32)" npm start'}</Code>
      <Text size="sm" c="dimmed">
        {t('disabled_note')}
      </Text>
      <Anchor href="/docs/configuration">{t('disabled_docs')}</Anchor>
    </Stack>
  )
}

function SignInForm() {
  const t = useTexts()
  const [token, setToken] = useState('')
  const [actor, setActor] = useState('')
  const { isRunning, failure, run } = useAttempt(t('sign_in'))

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const session = { token: token.trim(), actor: actor.trim() }
    void run(async () => {
      await tryToken(session)
      signIn(session)
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div>
          <Title order={1}>{t('sign_in_title')}</Title>
          <Text size="sm" c="dimmed" mt={4}>
            {t('sign_in_text')}
          </Text>
        </div>
        <SignInNotice failure={failure} />
        <PasswordInput
          label={t('admin_token')}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          error={token.trim() === '' || isToken(token) ? undefined : t('token_latin')}
          autoComplete="current-password"
          required
          data-autofocus
        />
        <TextInput
          label={t('actor')}
          description={t('actor_text')}
          value={actor}
          onChange={(event) => setActor(event.currentTarget.value)}
          error={actor === '' || isActor(actor) ? undefined : t('actor_ascii')}
          autoComplete="username"
          required
        />
        <Button type="submit" size="sm" loading={isRunning} disabled={!isToken(token) || !isActor(actor)}>
          {t('sign_in')}
        </Button>
      </Stack>
    </form>
  )
}

function SignInNotice({ failure }: { failure: ApiError | undefined }) {
  const t = useTexts()
  const reason = readLockReason()
  if (failure?.code === 'RATE_LIMITED')
    return <Alert color="orange">{t('sign_in_limited', { seconds: failure.retryAfter ?? 60 })}</Alert>
  if (failure?.code === 'ADMIN_UNAUTHORIZED') return <Alert color="red">{t('sign_in_wrong')}</Alert>
  if (failure?.code === 'UNREACHABLE') return <Alert color="red">{t('unreachable')}</Alert>
  if (failure) return <Alert color="red">{failure.message}</Alert>
  if (reason === 'refused') return <Alert color="red">{t('sign_in_refused')}</Alert>
  if (reason === 'idle') return <Alert color="gray">{t('sign_in_idle')}</Alert>
  return null
}
