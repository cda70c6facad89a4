import { type Erp, erpClient } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import { describeFailedCall, serveErp } from './serve.ts'

const token = 'token-of-the-test'

/** Serves an ERP of one operation; the others do not exist. */
async function serveWarehouses(warehouses: Erp['warehouses']) {
  const entries: string[] = []
  const erp = { warehouses } as Partial<Erp> as Erp
  const running = await serveErp(erp, {
    host: '127.0.0.1',
    port: 0,
    token,
    log: (entry) => entries.push(entry),
  })
  return { running, entries, client: erpClient(running.url, token) }
}

describe('serveErp', () => {
  it('closes only after the calls that are running have ended, and takes no more', async () => {
    const begun = Promise.withResolvers<void>()
    const result = Promise.withResolvers<{ ok: { warehouses: [] } }>()
    const { running, client } = await serveWarehouses(() => {
      begun.resolve()
      return result.promise
    })
    const call = client.erp.warehouses({})
    await begun.promise
    let isClosed = false
    const closing = running.close().then(() => {
      isClosed = true
    })
    await expect(fetch(running.url)).rejects.toThrow()
    expect(isClosed).toBe(false)
    result.resolve({ ok: { warehouses: [] } })
    expect(await call).toEqual({ ok: { warehouses: [] } })
    // The client keeps its connections, as a gateway does.
    await expect(client.erp.warehouses({})).rejects.toMatchObject({ sent: false })
    await closing
    await client.close()
  })

  it('keeps an idle connection longer than a client does', async () => {
    const { running, client } = await serveWarehouses(async () => ({ ok: { warehouses: [] } }))
    const response = await fetch(running.url)
    await response.text()
    expect(response.headers.get('keep-alive')).toBe('timeout=65')
    await client.close()
    await running.close()
  })

  it('logs a failure with its cause, which the caller is not told', async () => {
    const { running, entries, client } = await serveWarehouses(async () => {
      throw new RangeError('the shelf is full')
    })
    await expect(client.erp.warehouses({})).rejects.not.toThrow('shelf')
    expect(entries.join()).toMatch(/^\/warehouses failed: RangeError: the shelf is full\n\s+at /)
    await client.close()
    await running.close()
  })

  it('does not start on a port that is taken', async () => {
    const { running } = await serveWarehouses(async () => ({ ok: { warehouses: [] } }))
    const { port } = new URL(running.url)
    const erp = {} as Partial<Erp> as Erp
    await expect(
      serveErp(erp, { host: '127.0.0.1', port: Number(port), token, log: () => undefined }),
    ).rejects.toThrow('EADDRINUSE')
    await running.close()
  })
})

describe('describeFailedCall', () => {
  it('describes what is no error too', () => {
    expect(describeFailedCall('sweep', 'gone')).toBe('sweep failed: gone')
  })
})
