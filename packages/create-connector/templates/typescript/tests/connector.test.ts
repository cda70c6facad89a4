import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { erpClient, erpServer } from '@trade-gateway/connector'
import { conformance } from '@trade-gateway/connector/conformance'
import { erp } from '../src/erp.ts'
import { takePage } from '../src/pages.ts'

type Report = Awaited<ReturnType<typeof conformance>>

/** Fails with the sentences of the checks that failed. */
function requireNoFailure({ passed, results }: Report) {
  const failures = results.filter(({ outcome }) => outcome === 'failed')
  assert.deepEqual(
    failures.map(({ id, message }) => `${id}: ${message}`),
    [],
  )
  assert.ok(passed > 0, 'Nothing was checked.')
}

describe('the connector', () => {
  it('passes the conformance suite in process', async () => {
    requireNoFailure(await conformance(erp))
  })

  it('passes the conformance suite over HTTP', async () => {
    const token = 'the-token-of-the-test'
    const server = createServer(erpServer(erp, { token })).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    const url = `http://127.0.0.1:${address.port}`
    const client = erpClient(url, token)
    try {
      requireNoFailure(await conformance(client.erp, { http: { url, token } }))
    } finally {
      await client.close()
      server.close()
    }
  })
})

describe('a page', () => {
  const keyOf = (text: string) => text
  const rows = ['b', '\u{1f600}', 'a', '\uff5e', 'B']

  it('is ascending by bytes, whatever the order of the rows', () => {
    const { part, next } = takePage(rows, keyOf, { after: null, limit: 10 })
    assert.deepEqual(part, ['B', 'a', 'b', '\uff5e', '\u{1f600}'])
    assert.equal(next, null)
  })

  it('starts after a key that does not exist, and names the last key of a page', () => {
    assert.deepEqual(takePage(rows, keyOf, { after: 'C', limit: 2 }), { part: ['a', 'b'], next: 'b' })
  })
})
