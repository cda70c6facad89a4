import { AuthError, type GatewayError } from '../../src/index.ts'
import { catchError, checkEqual, checkTrue } from './check.ts'
import { type Case, openRun } from './target.ts'

const isToken = ({ path }: { readonly path: string }) => path === '/api/v1/auth/token'
const parallelCalls = 100

export const tokenCases: readonly Case[] = [
  {
    name: '100 calls at once request one token',
    async run(target) {
      const { client, readLog } = openRun(target, 'ok')
      await Promise.all(Array.from({ length: parallelCalls }, () => client.me()))
      const log = await readLog()
      checkEqual([log.filter(isToken).length, log.length], [1, parallelCalls + 1])
    },
  },
  {
    name: '100 calls with an expired token renew it once',
    async run(target) {
      const { client, readLog } = openRun(target, 'expired-forever', { maxRetries: 0 })
      const errors = await Promise.all(Array.from({ length: parallelCalls }, () => catchError(client.me())))
      checkTrue(
        errors.every((error) => (error as GatewayError).code === 'AUTH_EXPIRED'),
        'every call ends with AUTH_EXPIRED',
      )
      const log = await readLog()
      checkEqual(log.length - log.filter(isToken).length, 2 * parallelCalls, 'the number of calls')
      checkEqual(log.filter(isToken).length, 2, 'the number of tokens')
    },
  },
  {
    name: 'wrong credentials are sent exactly once',
    async run(target) {
      const { client, readLog } = openRun(target, 'bad-credentials')
      for (let call = 0; call < 5; call++) {
        const error = await catchError(client.me())
        checkTrue(error instanceof AuthError, 'it is an AuthError')
        checkEqual((error as AuthError).code, 'AUTH_BAD_CREDENTIALS')
      }
      checkEqual((await readLog()).length, 1, 'the number of requests')
    },
  },
  {
    name: 'a locked account is not asked again before its time',
    async run(target) {
      const { client, readLog } = openRun(target, 'locked')
      const error = (await catchError(client.me())) as AuthError
      checkEqual([error.code, error.retryAfterMs], ['AUTH_LOCKED', 900_000])
      await catchError(client.me())
      checkEqual((await readLog()).length, 1, 'the number of requests')
    },
  },
  {
    name: 'a token of one’s own is never replaced, and a function is asked for a new one',
    async run(target) {
      const own = openRun(target, 'expired-once', { auth: { accessToken: 'mine' } })
      checkEqual(((await catchError(own.client.me())) as GatewayError).code, 'AUTH_EXPIRED')
      let asked = 0
      const auth = async () => ({ accessToken: `given-${++asked}` })
      const given = openRun(target, 'expired-once', { auth })
      await given.client.me()
      const log = await given.readLog()
      checkEqual(
        log.map(({ authorization }) => authorization),
        ['Bearer given-1', 'Bearer given-2'],
      )
    },
  },
]
