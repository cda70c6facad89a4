import type { Erp } from '../erp.ts'
import { answered, asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { noSuchKey } from './listing.ts'
import { requireUnique } from './reference.ts'

interface Known {
  readonly customer_code: string | undefined
  readonly credentials: { readonly username: string; readonly password: string } | undefined
  readonly now: () => number
}

/**
 * Checks of customers and sign-in. The wrong sign-ins stand before the right ones, and only one of them names the
 * real account: an ERP that counts failures forgets them at the next success.
 */
export function accessChecks({ customer_code, credentials, now }: Known): Check[] {
  return [
    {
      id: 'customers.known',
      states: 'The addresses of a customer that exists have distinct ids, and what it may order is answered.',
      async run(erp) {
        if (customer_code === undefined) return skip('No customer was named (customer_code).')
        const { addresses } = await asked(erp, 'addresses', { customer_code })
        const ids = addresses.map(({ address_id }) => address_id)
        requireUnique('address_id', ids)
        await asked(erp, 'sellable', { customer_code })
        return undefined
      },
    },
    {
      id: 'customers.unknown',
      states: 'A customer that does not exist is refused with not_found.',
      async run(erp) {
        await refused(erp, 'addresses', { customer_code: noSuchKey(1) }, 'not_found')
        await refused(erp, 'sellable', { customer_code: noSuchKey(1) }, 'not_found')
        return undefined
      },
    },
    {
      id: 'sign_in.unsupported',
      states: 'An ERP without accounts refuses to sign in with not_supported.',
      async run(erp) {
        if (await hasSignIn(erp)) return skip('The ERP says that it has accounts (sign_in).')
        await refused(erp, 'sign_in', { username: 'someone', password: 'something' }, 'not_supported')
        return undefined
      },
    },
    signInCheck(
      'sign_in.refused',
      'A wrong password and an unknown name are refused with bad_credentials, in the same words.',
      (erp) => refuseAlike(erp, credentials),
    ),
    signInCheck('sign_in.odd', 'Odd and long names and passwords are refused like any other.', (erp) =>
      refuseOdd(erp, credentials),
    ),
    signInCheck(
      'sign_in.right',
      'The right password opens a new session each time, of a known customer.',
      (erp) => (credentials ? openTwice(erp, credentials) : noCredentials()),
    ),
    signInCheck('sign_in.expiry', 'A session expires in the future.', (erp) =>
      credentials ? expireLater(erp, credentials, now) : noCredentials(),
    ),
  ]
}

function signInCheck(id: string, states: string, run: (erp: Erp) => Promise<Skipped | undefined>): Check {
  const without = skip('The ERP says that it has no accounts (sign_in).')
  return { id, states, run: async (erp) => ((await hasSignIn(erp)) ? run(erp) : without) }
}

async function noCredentials(): Promise<Skipped> {
  return skip('No account was given (username and password).')
}

async function hasSignIn(erp: Erp): Promise<boolean> {
  return (await asked(erp, 'describe', {})).capabilities.sign_in
}

async function refuseAlike(erp: Erp, known: Known['credentials']): Promise<Skipped | undefined> {
  const unknown = { username: 'no-such-account@example.invalid', password: 'wrong-password' }
  const forUnknown = await refused(erp, 'sign_in', unknown, 'bad_credentials')
  if (!known) return undefined
  const wrong = { username: known.username, password: unknown.password }
  const forWrong = await refused(erp, 'sign_in', wrong, 'bad_credentials')
  if (forWrong.message === forUnknown.message) return undefined
  throw new ConformanceFailure({
    expected: 'the same message for a wrong password and for an unknown name',
    came: `"${forWrong.message}" and "${forUnknown.message}"`,
    remedy: 'Use one fixed sentence, and spend the same time: otherwise names can be found out by trying.',
  })
}

/** What breaks queries, patterns, encodings, files and hashes. */
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
const oddPasswords = ["' or '1'='1", '\u0000', '\ud800', '名'.repeat(1000), 'x'.repeat(1000)]

async function refuseOdd(erp: Erp, known: Known['credentials']): Promise<Skipped | undefined> {
  const plain = known?.password ?? 'wrong-password'
  const tries = [
    ...oddNames.map((username) => ({ username, password: plain })),
    ...oddPasswords.map((odd) => ({ username: 'no-such-account@example.invalid', password: odd })),
  ]
  for (const credentials of tries) {
    const answer = await answered(erp, 'sign_in', credentials)
    if ('rejected' in answer && answer.rejected.reason === 'bad_credentials') continue
    const { username, password } = credentials
    throw new ConformanceFailure({
      expected: `the name ${shown(username)} with ${oddPasswords.includes(password) ? shown(password) : 'a plain password'} to be refused with bad_credentials`,
      came: 'ok' in answer ? 'a session' : `the refusal ${answer.rejected.reason}`,
      remedy: 'Look names up by equality with a bound parameter, and treat what cannot be one as unknown.',
    })
  }
  return undefined
}

function shown(text: string): string {
  const mostCharacters = 40
  return JSON.stringify(text.slice(0, mostCharacters))
}

async function openTwice(
  erp: Erp,
  credentials: NonNullable<Known['credentials']>,
): Promise<Skipped | undefined> {
  const one = await asked(erp, 'sign_in', credentials)
  const other = await asked(erp, 'sign_in', credentials)
  if (one.session === other.session) {
    throw new ConformanceFailure({
      expected: 'another session at each sign-in',
      came: 'the same twice',
      remedy: 'Open a new session: ending one must not end the other.',
    })
  }
  await asked(erp, 'addresses', { customer_code: one.customer_code })
  return undefined
}

async function expireLater(
  erp: Erp,
  credentials: NonNullable<Known['credentials']>,
  now: () => number,
): Promise<Skipped | undefined> {
  const { session_expires_at } = await asked(erp, 'sign_in', credentials)
  if (Date.parse(session_expires_at) > now()) return undefined
  throw new ConformanceFailure({
    expected: 'a session that expires in the future',
    came: session_expires_at,
    remedy: 'Answer the end of the session in UTC, and set the clocks.',
  })
}
