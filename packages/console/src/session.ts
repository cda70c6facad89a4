/**
 * Who is signed in. The admin token is kept in this tab only: in memory, and in sessionStorage so that a reload does
 * not ask again. It is never in an address or in localStorage.
 */

import { useSyncExternalStore } from 'react'

export interface Session {
  readonly token: string
  /** The name that the gateway's audit log records for each change. */
  readonly actor: string
}

/** Why the sign-in page is shown. */
export type LockReason = 'refused' | 'locked' | 'idle'

const storageKey = 'trade-gateway-console'
const maxIdleMs = 60 * 60_000
/** How exactly the last use is known: each pointer movement would write to the storage. */
const useEveryMs = 10_000

const listeners = new Set<() => void>()
let reason: LockReason | undefined
/** When the console was last used, by the wall clock. */
let lastUsedAt = 0
let current: Session | undefined = readStored()

/** Reads the session that a reload or a restored tab left, unless it was idle for too long. */
function readStored(): Session | undefined {
  try {
    const { token, actor, usedAt } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    if (typeof token !== 'string' || typeof actor !== 'string' || typeof usedAt !== 'number') return undefined
    lastUsedAt = usedAt
    if (!isIdle()) return { token, actor }
    reason = 'idle'
    sessionStorage.removeItem(storageKey)
    return undefined
  } catch {
    return undefined
  }
}

function isIdle(): boolean {
  return Date.now() >= lastUsedAt + maxIdleMs
}

/** Returns the session of this tab; undefined before the sign-in. */
export function readSession(): Session | undefined {
  return current
}

export function readLockReason(): LockReason | undefined {
  return reason
}

export function signIn(session: Session) {
  current = session
  reason = undefined
  store(session)
  for (const listener of listeners) listener()
}

function store(session: Session) {
  lastUsedAt = Date.now()
  sessionStorage.setItem(storageKey, JSON.stringify({ ...session, usedAt: lastUsedAt }))
}

/** Notes that the operator uses the console; locks it instead if the use comes too late. */
export function noteUse() {
  lockIfIdle()
  if (current && Date.now() >= lastUsedAt + useEveryMs) store(current)
}

export function lockIfIdle() {
  if (isIdle()) lock('idle')
}

/** Forgets the token. The next page is the sign-in page, which says why. */
export function lock(why: LockReason) {
  if (current === undefined) return
  current = undefined
  reason = why
  sessionStorage.removeItem(storageKey)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useSession(): Session | undefined {
  return useSyncExternalStore(subscribe, readSession)
}

/** Whether a token can be sent in a header; the gateway takes no other one as `ADMIN_TOKEN`. */
export function isToken(token: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(token.trim())
}

const maxActorCharacters = 100

/** Whether a name can be sent in `X-Admin-Actor`, which takes printable ASCII only. */
export function isActor(name: string): boolean {
  return name.trim() !== '' && name.length <= maxActorCharacters && /^[\x20-\x7e]+$/.test(name)
}
