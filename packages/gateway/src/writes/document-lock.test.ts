import { describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { type HeldLock, toDocumentLockName, withDocumentLock } from './document-lock.ts'

/** A gateway whose locks are noted, and are free or not. */
function createGateway(isFree: boolean) {
  const asked: unknown[] = []
  const { signal } = new AbortController()
  const withLock = async (name: string, waitMs: number, work: (lost: AbortSignal) => Promise<unknown>) => {
    asked.push({ name, waitMs })
    return isFree ? work(signal) : undefined
  }
  return { gateway: { store: { withLock } } as unknown as Gateway, asked, signal }
}

/** Takes the lock of a document. */
const withLockOf = <T>(gateway: Gateway, id: string, work: (held: HeldLock) => Promise<T>) =>
  withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, work)

describe('the lock of a document', () => {
  it('is named after the document, and is waited for longer than a write may take', async () => {
    const { gateway, asked, signal } = createGateway(true)
    const held = await withLockOf(gateway, 'ord_1', async (mine) => mine)
    expect(asked).toEqual([{ name: 'document ord_1', waitMs: 35_000 }])
    expect(held).toEqual({ lock: 'document ord_1', lost: signal })
  })

  it('returns what was done with it, also if that is nothing', async () => {
    const { gateway } = createGateway(true)
    expect(await withLockOf(gateway, 'ord_1', async () => undefined)).toBeUndefined()
  })

  it('that does not become free leaves the document in doubt', async () => {
    const { gateway } = createGateway(false)
    const waiting = withLockOf(gateway, 'ord_1', async () => 'done')
    await expect(waiting).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      facts: { say: ['document_in_doubt', { id: 'ord_1' }] },
    })
  })
})
