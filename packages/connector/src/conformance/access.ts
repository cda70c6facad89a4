import type { Erp } from '../erp.ts'
import type { Input } from '../operations.ts'
import { callChecked, callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { findTextFlaw, requireUsableCodes } from './codes.ts'
import { requireUnique } from './describe.ts'
import { createUnknownKey } from './listing.ts'

interface KnownAccount {
  readonly customer_code: string | undefined
  readonly credentials: { readonly username: string; readonly password: string } | undefined
  readonly now: () => number
}

/**
 * Lists the checks of customers and sign-in. The checks with wrong passwords run before those with the right one, and
 * only one of them uses the real account: an ERP that counts failures resets its counter at the next success.
 */
export function listAccessChecks({ customer_code, credentials, now }: KnownAccount): Check[] {
  return [
    {
      id: 'customers.known',
      states:
        'The addresses of a known customer have distinct ids that a client can name, and sellable returns what it may order.',
      async run(erp) {
        if (customer_code === undefined) return skip('No customer was given (customer_code).')
        return requireKnownCustomer(erp, customer_code)
      },
    },
    {
      id: 'customers.unknown',
      states: 'A customer that does not exist is refused with not_found.',
      async run(erp) {
        await callRefused(erp, 'addresses', { customer_code: createUnknownKey(1) }, 'not_found')
        await callRefused(erp, 'sellable', { customer_code: createUnknownKey(1) }, 'not_found')
        return undefined
      },
    },
    {
      id: 'sign_in.unsupported',
      states: 'An ERP without accounts refuses sign_in with not_supported.',
      async run(erp) {
        if (await hasSignIn(erp)) return skip('The ERP declares that it has accounts (sign_in: true).')
        await callRefused(erp, 'sign_in', { username: 'someone', password: 'something' }, 'not_supported')
        return undefined
      },
    },
    defineSignInCheck(
      'sign_in.refused',
      'A wrong password and an unknown name are refused with bad_credentials and the same message.',
      (erp) => requireSameRefusal(erp, credentials),
    ),
    defineSignInCheck(
      'sign_in.odd',
      'Unusual and long names and passwords are refused with bad_credentials.',
      (erp) => requireOddCredentialsRefused(erp, credentials),
    ),
    defineSignInCheck(
      'sign_in.right',
      'The right password opens a new session each time, for a known customer.',
      (erp) => (credentials ? requireNewSession(erp, credentials) : skipWithoutCredentials()),
    ),
    defineSignInCheck('sign_in.expiry', 'A session expires in the future.', (erp) =>
      credentials ? requireFutureExpiry(erp, credentials, now) : skipWithoutCredentials(),
    ),
  ]
}

async function requireKnownCustomer(erp: Erp, customer_code: string): Promise<undefined> {
  const { addresses } = await callOk(erp, 'addresses', { customer_code })
  const ids = addresses.map(({ address_id }) => address_id)
  requireUnique('address_id', ids)
  requireUsableCodes('address_id', ids, findTextFlaw)
  await callOk(erp, 'sellable', { customer_code })
}

function defineSignInCheck(
  id: string,
  states: string,
  run: (erp: Erp) => Promise<Skipped | undefined>,
): Check {
  const without = skip('The ERP declares that it has no accounts (sign_in: false).')
  return { id, states, run: async (erp) => ((await hasSignIn(erp)) ? run(erp) : without) }
}

async function skipWithoutCredentials(): Promise<Skipped> {
  return skip('No account was given (username and password).')
}

async function hasSignIn(erp: Erp): Promise<boolean> {
  return (await callOk(erp, 'describe', {})).capabilities.sign_in
}

async function requireSameRefusal(
  erp: Erp,
  known: KnownAccount['credentials'],
): Promise<Skipped | undefined> {
  const unknown = { username: 'no-such-account@example.invalid', password: 'wrong-password' }
  const forUnknown = await callRefused(erp, 'sign_in', unknown, 'bad_credentials')
  if (!known) return undefined
  const wrong = { username: known.username, password: unknown.password }
  const forWrong = await callRefused(erp, 'sign_in', wrong, 'bad_credentials')
  if (forWrong.message === forUnknown.message) return undefined
  throw new ConformanceFailure({
    expected: 'the same message for a wrong password and for an unknown name',
    actual: `"${forWrong.message}" and "${forUnknown.message}"`,
    remedy: 'Use one fixed message and take the same time; otherwise names can be guessed.',
  })
}

/** Names that break queries, patterns, encodings, file paths and hashes. */
const oddNames = [
  "' or 1=1 --",
  '"; drop table accounts; --',
  '%',
  '_',
  '*',
  '\\',
  '名前@例え.jp',
  '👩‍👩‍👧',
  'e\u0301',
  '\ud800',
  'a\u0000b',
  'a\r\nb: c',
  ' ',
  '../../etc/passwd',
  '{"$ne":null}',
  'x'.repeat(200),
  '名'.repeat(200),
]
/** The number of sign-ins that are sent at the same time. */
const triesAtOnce = 8
const oddPasswords = ["' or '1'='1", '\u0000', '\ud800', '名'.repeat(1000), 'x'.repeat(1000)]

async function requireOddCredentialsRefused(
  erp: Erp,
  known: KnownAccount['credentials'],
): Promise<Skipped | undefined> {
  const plain = known?.password ?? 'wrong-password'
  const tries = [
    ...oddNames.map((username) => ({ username, password: plain })),
    ...oddPasswords.map((odd) => ({ username: 'no-such-account@example.invalid', password: odd })),
  ]
  // An ERP may take its time over each refusal, so that the time says nothing about the name.
  for (let from = 0; from < tries.length; from += triesAtOnce)
    await Promise.all(
      tries.slice(from, from + triesAtOnce).map((credentials) => requireBadCredentials(erp, credentials)),
    )
  return undefined
}

async function requireBadCredentials(erp: Erp, credentials: Input<'sign_in'>): Promise<void> {
  const result = await callChecked(erp, 'sign_in', credentials)
  if ('rejected' in result && result.rejected.reason === 'bad_credentials') return
  const { username, password } = credentials
  throw new ConformanceFailure({
    expected: `the name ${quoteText(username)} with ${oddPasswords.includes(password) ? quoteText(password) : 'a plain password'} to be refused with bad_credentials`,
    actual: 'ok' in result ? 'a session' : `the refusal ${result.rejected.reason}`,
    remedy: 'Compare names for equality with a bound parameter, and treat impossible names as unknown.',
  })
}

function quoteText(text: string): string {
  const maxCharacters = 40
  return JSON.stringify(text.slice(0, maxCharacters))
}

async function requireNewSession(
  erp: Erp,
  credentials: NonNullable<KnownAccount['credentials']>,
): Promise<Skipped | undefined> {
  const one = await callOk(erp, 'sign_in', credentials)
  const other = await callOk(erp, 'sign_in', credentials)
  if (one.session === other.session) {
    throw new ConformanceFailure({
      expected: 'another session at each sign-in',
      actual: 'the same session twice',
      remedy: 'Open a new session each time, because ending one must not end the other.',
    })
  }
  await callOk(erp, 'addresses', { customer_code: one.customer_code })
  return undefined
}

async function requireFutureExpiry(
  erp: Erp,
  credentials: NonNullable<KnownAccount['credentials']>,
  now: () => number,
): Promise<Skipped | undefined> {
  const { session_expires_at } = await callOk(erp, 'sign_in', credentials)
  if (Date.parse(session_expires_at) > now()) return undefined
  throw new ConformanceFailure({
    expected: 'a session that expires in the future',
    actual: session_expires_at,
    remedy: 'Return the expiry in UTC, and check the clock of the ERP.',
  })
}
