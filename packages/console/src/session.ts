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
const listeners = new Set<() => void>()
let current: Session | undefined = readStored()
let reason: LockReason | undefined

function readStored(): Session | undefined {
  try {
    const { token, actor } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    return typeof token === 'string' && typeof actor === 'string' ? { token, actor } : undefined
  } catch {
    return undefined
  }
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
  sessionStorage.setItem(storageKey, JSON.stringify(session))
  for (const listener of listeners) listener()
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

const maxActorCharacters = 100

/** Whether a name can be sent in `X-Admin-Actor`, which takes printable ASCII only. */
export function isActor(name: string): boolean {
  return name.trim() !== '' && name.length <= maxActorCharacters && /^[\x20-\x7e]+$/.test(name)
}
