import { argon2, createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type ErpResult, type Input, type Output, ok, rejected } from '@trade-gateway/connector'
import type { Clock } from './clock.ts'
import { findPreferences } from './customers.ts'
import type { Store } from './store.ts'

/** A person who signs in to the ERP for a customer. */
export interface Account {
  readonly account_id: string
  readonly username: string
  readonly password: string
  readonly name: string
  readonly customer_code: string
}

const sessionLifeMs = 12 * 60 * 60 * 1000

/** What a password's hash costs: argon2id's memory in KiB, and its passes over it. */
export interface HashCost {
  readonly memory: number
  readonly passes: number
}

/** The smallest argon2id parameters that OWASP recommends: 19 MiB, 2 passes. */
export const recommendedHashCost: HashCost = { memory: 19_456, passes: 2 }
/** For tests, which open an ERP each: the smallest that argon2id takes. */
export const leastHashCost: HashCost = { memory: 8, passes: 1 }
const argon2id = promisify(argon2)

/** Creates or overwrites the accounts by id. */
export async function storeAccounts(
  store: Store,
  accounts: readonly Account[],
  cost: HashCost,
): Promise<void> {
  for (const account of accounts) {
    const salt = randomBytes(16)
    const hash = await hashPassword(account.password, salt, cost)
    store.run(
      `insert into accounts (account_id, username, name, customer_code, password_salt, password_hash)
       values (?, ?, ?, ?, ?, ?)
       on conflict (account_id) do update set username = excluded.username, name = excluded.name,
         customer_code = excluded.customer_code, password_salt = excluded.password_salt,
         password_hash = excluded.password_hash`,
      account.account_id,
      account.username,
      account.name,
      account.customer_code,
      salt,
      hash,
    )
  }
}

/** Opens a session. An unknown name takes as long as a known one, because a hash is computed in both cases. */
export async function signIn(
  store: Store,
  clock: Clock,
  input: Input<'sign_in'>,
  cost: HashCost,
): Promise<ErpResult<Output<'sign_in'>>> {
  const account = store.one(
    'select account_id, name, customer_code, password_salt, password_hash from accounts where username = ?',
    input.username,
  )
  const salt = account?.password_salt instanceof Uint8Array ? account.password_salt : new Uint8Array(16)
  const expected = account?.password_hash instanceof Uint8Array ? account.password_hash : new Uint8Array(32)
  const right = timingSafeEqual(await hashPassword(input.password, salt, cost), expected)
  if (!account || !right) return rejected('bad_credentials', 'The username or the password is wrong.')
  const session = randomBytes(32).toString('base64url')
  const expiresAt = clock.now() + sessionLifeMs
  store.transaction(() => {
    store.run('delete from sessions where expires_at < ?', clock.now())
    store.run(
      'insert into sessions (session_hash, account_id, expires_at) values (?, ?, ?)',
      hashSession(session),
      account.account_id ?? null,
      expiresAt,
    )
  })
  return ok({
    account_id: String(account.account_id),
    name: String(account.name),
    customer_code: String(account.customer_code),
    ...findPreferences(store, String(account.customer_code)),
    session,
    session_expires_at: new Date(expiresAt).toISOString(),
  })
}

/** The account of an open session. */
export interface SessionAccount {
  readonly account_id: string
  readonly customer_code: string
  /** The position of the account in order of creation, from 1. Prices and allocation depend on it. */
  readonly rank: number
}

/** Finds the account of a session; undefined if the session is unknown or expired. */
export function findAccount(store: Store, clock: Clock, session: string): SessionAccount | undefined {
  const row = store.one(
    `select a.account_id, a.customer_code, (select count(*) from accounts b where b.rowid <= a.rowid) as rank
     from sessions s join accounts a using (account_id) where s.session_hash = ? and s.expires_at > ?`,
    hashSession(session),
    clock.now(),
  )
  return (
    row && {
      account_id: String(row.account_id),
      customer_code: String(row.customer_code),
      rank: Number(row.rank),
    }
  )
}

function hashSession(session: string): string {
  return createHash('sha256').update(session).digest('hex')
}

async function hashPassword(password: string, salt: Uint8Array, cost: HashCost): Promise<Buffer> {
  return argon2id('argon2id', { message: password, nonce: salt, ...cost, parallelism: 1, tagLength: 32 })
}
