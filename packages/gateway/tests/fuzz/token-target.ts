/** Tokens: any text, a valid token that was damaged, and signed tokens with odd headers and claims. */
import { createPrivateKey } from 'node:crypto'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { createSession } from '../../src/access/grants.ts'
import { adminToken, call, createWorld, openTestGateway, type TestGateway, testStart } from '../harness.ts'
import { readText } from './responses.ts'
import { createSend, type Send } from './send.ts'
import { judge, type Keys, type SignedToken, signedToken, signToken } from './signed-tokens.ts'
import { type FuzzTarget, requireThat, soupOf } from './target.ts'

const tokenPart = soupOf(
  ['.', 'eyJhbGciOiJub25lIn0', 'eyJhbGciOiJFZERTQSJ9', 'e30', '{}', '=', '-', '_', 'A'],
  'binary-ascii',
)

interface TokenEdit {
  readonly part: number
  readonly at: number
  readonly put: string
}

type Input = { readonly text: string } | TokenEdit | SignedToken

/** Channels of which one works, one is paused and one was deleted, and the gateway's signing key. */
async function openKeys(house: TestGateway): Promise<Keys & { readonly token: string }> {
  const { gateway } = house
  const [active, paused, deleted] = [
    await createWorld(house),
    await createWorld(house),
    await createWorld(house),
  ]
  const path = (code: string) => `/admin/api/channels/${code}`
  await call(house, 'PATCH', path(paused.channel_code), { admin: adminToken, body: { paused: true } })
  await call(house, 'DELETE', path(deleted.channel_code), { admin: adminToken })
  const row = await gateway.store.db.selectFrom('signing_keys').selectAll().executeTakeFirstOrThrow()
  const jwk = JSON.parse(gateway.secrets.unseal(row.private_sealed, `signing key ${row.kid}`))
  const { iss = '' } = decodeJwt(active.token)
  return {
    token: active.token,
    names: {
      ...{ channel: active.channel_code, paused: paused.channel_code, deleted: deleted.channel_code },
      ...{ issuer: iss, kid: row.kid },
    },
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
  }
}

/** Returns the code with which a token is refused; undefined if it is accepted, for the channel that it names. */
async function findRefusal(send: Send, token: string, channel: string): Promise<string | undefined> {
  const head = ['GET /api/v1/me HTTP/1.1', 'Host: a', 'Connection: close', `Authorization: Bearer ${token}`]
  const [response] = await send(`${head.join('\r\n')}\r\n\r\n`, { isWhole: true, mustBeJson: true })
  if (!response) throw new Error('A whole request has no response.')
  const body = JSON.parse(readText(response))
  if (response.status === 200) {
    requireThat(body.data.channel.channel_code === channel, 'the token is of another channel')
    return undefined
  }
  return `${response.status} ${body.error.code}`
}

const invalid = ['401 AUTH_INVALID_TOKEN']
const expired = ['401 AUTH_EXPIRED', ...invalid]
/** An empty token, or one that begins with a blank, is none. A control character is refused by the parser. */
const damaged = [...expired, '401 AUTH_MISSING_TOKEN', '400 BAD_REQUEST']

export const jwt: FuzzTarget<Input> = {
  name: 'jwt',
  inputs: fc.oneof(
    { weight: 1, arbitrary: fc.record({ text: tokenPart }) },
    {
      weight: 2,
      arbitrary: fc.record({
        part: fc.nat({ max: 2 }),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        put: tokenPart,
      }),
    },
    { weight: 8, arbitrary: signedToken },
  ),
  async open() {
    const house = await openTestGateway({ isEmbedded: true })
    const keys = await openKeys(house)
    const { token, names } = keys
    const send = createSend(house)
    const legacyUntil = house.gateway.config.legacyTokens.until + 1_000

    async function checkText(sent: string) {
      const refusal = await findRefusal(send, sent, names.channel)
      // Blanks at the end do not belong to a header's value (RFC 9110 §5.5). Those before the token do.
      const isIssued = sent.replace(/[ \t]+$/, '') === token
      const isRight = isIssued ? refusal === undefined : damaged.includes(refusal ?? '')
      requireThat(isRight, `${JSON.stringify(sent)} is ${refusal ?? 'accepted'}`)
    }

    async function checkSigned(input: SignedToken) {
      house.clock.set(testStart)
      const opened = { channel_code: names.channel, plan: 'full', grant_type: 'client_credentials' } as const
      const issued = input.kind === 'access' ? await createSession(house.gateway, opened) : undefined
      const jti = issued ? String(decodeJwt(issued.access_token).jti) : ''
      house.clock.set(testStart + input.clock)
      const sent = signToken(input, keys, jti)
      const { isAccepted, isExpired } = judge(input, keys, jti, legacyUntil)
      // The second call reads the decision that the first one left behind.
      for (const turn of ['first', 'second']) {
        const refusal = await findRefusal(send, sent, names.channel)
        const isRefused = (isExpired ? expired : invalid).includes(refusal ?? '')
        const isRight = isAccepted === undefined || (isAccepted ? refusal === undefined : isRefused)
        const story = `${isAccepted ? 'valid' : isExpired ? 'expired' : 'invalid'} token`
        requireThat(isRight, `the ${story} is ${refusal ?? 'accepted'} at its ${turn} call`)
      }
      house.clock.set(testStart)
    }

    return {
      async check(input) {
        if ('kind' in input) return checkSigned(input)
        const parts = token.split('.')
        if ('part' in input) {
          const part = parts[input.part] ?? ''
          const place = Math.floor(input.at * part.length)
          parts[input.part] = part.slice(0, place) + input.put + part.slice(place)
        }
        await checkText(('text' in input ? input.text : parts.join('.')).replaceAll(/[\r\n]/g, ''))
      },
      close: () => house.close(),
    }
  },
}
