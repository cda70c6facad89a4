/**
 * Draws tokens with odd headers and claims, signs them with the gateway's own key or with that of the legacy gateway, and
 * judges by the contract whether they are valid.
 */
import { createHmac, type KeyObject, sign } from 'node:crypto'
import fc from 'fast-check'
import { z } from 'zod'
import { legacySecret, testStart } from '../harness.ts'

/** Members of a JSON object as they are written: names may repeat, and values are JSON. */
type Members = readonly (readonly [name: string, json: string])[]

export interface SignedToken {
  readonly kind: 'legacy' | 'access'
  readonly header: Members
  readonly claims: Members
  /** The key that signs. `other` is one that nobody knows. */
  readonly key: 'own' | 'other' | 'none'
  /** The gateway's clock, in milliseconds from the start of the test. */
  readonly clock: number
}

const second = testStart / 1000
/** In claims, these are replaced by what the gateway knows. */
const places = {
  channel: '{channel}',
  deleted: '{deleted}',
  paused: '{paused}',
  issuer: '{issuer}',
  jti: '{jti}',
  kid: '{kid}',
} as const
const quote = (text: string) => JSON.stringify(text)

const oddValues = [
  ...['null', 'true', '0', '-1', '1e999', '-1e999', '1e308', '1e-400', '-0', '9007199254740993', '8.64e12'],
  ...[
    '8.640000000001e12',
    '""',
    '"1"',
    '" "',
    '[]',
    '{}',
    '[[]]',
    '{"toString":1}',
    '"\\u0000"',
    '"\\ud800"',
  ],
  ...[`[${quote(places.channel)}]`, `[${quote(places.issuer)}]`, `[${quote(places.issuer)},1]`],
]
const odd = fc.constantFrom(...oddValues)
/** Moments around the start of the test, in seconds. */
const moment = fc
  .oneof(
    fc.constantFrom(
      -86_400,
      -61,
      -60,
      -59,
      -1,
      -0.5,
      0,
      0.25,
      0.5,
      1,
      1.5,
      59,
      60,
      61,
      86_400,
      7e5,
      8e5,
      4e7,
    ),
    fc.integer({ min: -100, max: 4_000 }),
  )
  .map((from) => String(second + from))
const subject = fc.constantFrom(
  ...[quote(places.deleted), quote(places.paused), '"nobody"', '"CH-1"', '"ch-1 "', '"__proto__"'],
)
const claim: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(fc.constantFrom('exp', 'iat', 'nbf'), moment),
  fc.tuple(fc.constant('sub'), subject),
  fc.tuple(fc.constantFrom('sub', 'exp', 'iat', 'nbf', 'jti', 'iss', 'aud', 'channel', '__proto__', ''), odd),
)
const headerMember: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constant('alg'),
    fc.constantFrom(
      ...['none', 'None', 'NONE', 'HS256', 'hs256', 'HS512', 'EdDSA', 'Ed25519', ''].map(quote),
    ),
  ),
  fc.tuple(
    fc.constant('kid'),
    fc.constantFrom(...['sig_0', '../../etc/passwd', places.kid, '', "' or 1=1"].map(quote)),
  ),
  fc.tuple(
    fc.constantFrom('typ', 'cty'),
    fc.constantFrom(...['JWT', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'jwt'].map(quote)),
  ),
  fc.tuple(fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'jwk', 'jku', 'x5c', 'zip', '__proto__'), odd),
  fc.constantFrom(['crit', '["b64"]'] as const, ['crit', '["exp"]'] as const, ['b64', 'false'] as const),
)

const validMembers = {
  legacy: {
    header: [['alg', '"HS256"'] as const, ['typ', '"JWT"'] as const],
    claims: [['sub', quote(places.channel)] as const, ['exp', String(second + 3_600)] as const],
  },
  access: {
    header: [['alg', '"EdDSA"'] as const, ['kid', quote(places.kid)] as const, ['typ', '"at+jwt"'] as const],
    claims: [
      ...[['iss', quote(places.issuer)] as const, ['aud', quote(places.issuer)] as const],
      ...[['sub', quote(places.channel)] as const, ['jti', quote(places.jti)] as const],
      ...[['iat', String(second)] as const, ['exp', String(second + 3_600)] as const],
    ],
  },
}

/** Draws members of which some are left out, and others are added, before or after those with the same name. */
function drawMembers(valid: Members, extra: fc.Arbitrary<readonly [string, string]>): fc.Arbitrary<Members> {
  const kept = fc.oneof(
    { weight: 3, arbitrary: fc.constant(valid) },
    { weight: 1, arbitrary: fc.subarray([...valid]) },
  )
  const more = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(extra, { minLength: 1, maxLength: 2 }) },
  )
  const replaced = (members: Members, added: Members) =>
    members.filter(([name]) => !added.some(([other]) => other === name))
  return fc.tuple(kept, more, fc.constantFrom('replace', 'before', 'after')).map(([members, added, how]) => {
    if (how === 'before') return [...added, ...members]
    return how === 'after' ? [...members, ...added] : [...replaced(members, added), ...added]
  })
}

export const signedToken: fc.Arbitrary<SignedToken> = fc
  .constantFrom('legacy' as const, 'access' as const)
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      header: drawMembers(validMembers[kind].header, headerMember),
      claims: drawMembers(validMembers[kind].claims, claim),
      key: fc.oneof(
        { weight: 8, arbitrary: fc.constant('own' as const) },
        { weight: 1, arbitrary: fc.constantFrom('other' as const, 'none' as const) },
      ),
      clock: fc.oneof(
        { weight: 2, arbitrary: fc.constant(0) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(1, 499, 500, 999, 59_999, 60_000, 3_599_999, 3_600_000, 8e8),
        },
      ),
    }),
  )

export interface Names {
  readonly channel: string
  readonly deleted: string
  readonly paused: string
  readonly issuer: string
  readonly kid: string
}

export interface Keys {
  readonly names: Names
  readonly privateKey: KeyObject
}

function writeMembers(members: Members, names: Readonly<Record<string, string>>): string {
  const text = `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`
  return text.replaceAll(
    /\{(channel|deleted|paused|issuer|kid|jti)\}/g,
    (_, name: string) => names[name] ?? '',
  )
}

const encode = (text: string) => Buffer.from(text).toString('base64url')

export function signToken(
  { kind, header, claims, key }: SignedToken,
  { names, privateKey }: Keys,
  jti: string,
): string {
  const unsigned = [header, claims].map((each) => encode(writeMembers(each, { ...names, jti }))).join('.')
  const bytes = Buffer.from(unsigned)
  const ownSignature = () =>
    kind === 'legacy'
      ? createHmac('sha256', legacySecret).update(bytes).digest()
      : sign(null, bytes, privateKey)
  const otherSignature = () => createHmac('sha512', 'nobody knows this key').update(bytes).digest()
  const signature = key === 'own' ? ownSignature() : key === 'other' ? otherSignature() : Buffer.alloc(0)
  return `${unsigned}.${signature.toString('base64url')}`
}

const maxSkewSeconds = 60
/** The largest time of a `Date`, in seconds. */
const maxTime = 8.64e12
/** JSON allows `1e999`, which is read as infinity. */
const number = z.custom<number>((value) => typeof value === 'number')
/** Reads what is no number as NaN, which no comparison holds for. */
const anyNumber = number.catch(Number.NaN)
const moments = { nbf: number.optional() }
/** `crit` names what a reader must understand (RFC 7515 §4.1.11). The only known name is `b64`, which must be true. */
const plain = z.looseObject({ crit: z.undefined().optional() })
const critical = z.looseObject({ crit: z.tuple([z.literal('b64')]), b64: z.literal(true) })

/** The header and claims with which the legacy gateway's tokens are accepted. */
const legacySchema = z.object({
  header: z.object({ alg: z.literal('HS256') }),
  claims: z.object({ ...moments, exp: number, sub: z.string(), iat: number.optional() }),
})
const accessSchema = z.object({
  header: z.object({
    alg: z.literal('EdDSA'),
    kid: z.string().optional(),
    typ: z.string().regex(/^(?:application\/)?at\+jwt$/i),
  }),
  claims: z.object({
    ...{ ...moments, exp: number, iat: number },
    ...{ iss: z.string(), aud: z.union([z.string(), z.array(z.unknown())]), jti: z.string() },
  }),
})

interface Judged {
  /** Undefined if both are right: within the second in which a token begins or ends. */
  readonly isAccepted: boolean | undefined
  /** Whether `AUTH_EXPIRED` is a right refusal. */
  readonly isExpired: boolean
}

/** Judges a token by the contract, without the gateway: who it is for, and whether its time has come and not ended. */
export function judge(input: SignedToken, { names }: Keys, jti: string, legacyUntil: number): Judged {
  const readMembers = (members: Members): unknown => JSON.parse(writeMembers(members, { ...names, jti }))
  const token = { header: readMembers(input.header), claims: readMembers(input.claims) }
  const now = testStart + input.clock
  const { exp, nbf } = z.object({ exp: anyNumber, nbf: anyNumber }).parse(Object(token.claims))
  // A moment counts to the whole second (RFC 7519 §4.1.4 permits a small leeway).
  const isBorder = [exp, nbf].some((each) => Math.floor(each) === Math.floor(now / 1000) && each % 1 !== 0)
  const isOver = input.kind === 'access' && now >= testStart + sessionMs
  const isExpired = exp * 1000 <= now || isOver
  const isReadable = plain.safeParse(token.header).success || critical.safeParse(token.header).success
  const isFor = input.kind === 'legacy' ? isLegacyToken(token, names, now) : isAccessToken(token, names, jti)
  const isInTime = exp > now / 1000 && !(nbf > now / 1000) && !(input.kind === 'legacy' && now >= legacyUntil)
  if (input.key !== 'own' || !isReadable || !isFor || isOver) return { isAccepted: false, isExpired }
  return { isAccepted: isBorder ? undefined : isInTime, isExpired: isExpired || isBorder }
}

function isLegacyToken(token: unknown, names: Names, now: number): boolean {
  const { success, data } = legacySchema.safeParse(token)
  if (!success) return false
  const { sub, exp, iat = 0 } = data.claims
  return sub === names.channel && exp <= maxTime && iat <= now / 1000 + maxSkewSeconds
}

function isAccessToken(token: unknown, { issuer, kid: ownKid }: Names, ownJti: string): boolean {
  const { success, data } = accessSchema.safeParse(token)
  if (!success) return false
  const { iss, aud, jti } = data.claims
  const isForUs = iss === issuer && (Array.isArray(aud) ? aud.includes(issuer) : aud === issuer)
  const { kid = ownKid } = data.header
  return isForUs && kid === ownKid && jti === ownJti && 'sub' in Object(Object(token).claims)
}

const sessionMs = 3_600_000
