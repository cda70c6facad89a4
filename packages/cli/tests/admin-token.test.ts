import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
let controlled: string[]
beforeEach(async () => {
  controlled = []
  gateway = await openFakeGateway(({ path }) => {
    controlled.push(path)
    return { data: { sku: 'SBX-OOS' } }
  })
})
afterEach(() => gateway.close())

describe('the admin token in the file of a sandbox', () => {
  const writeSandbox = (base_url: string) => {
    const file = join(gateway.folder, 'sandbox.json')
    writeFileSync(file, JSON.stringify({ base_url, admin_token: 'an-admin-token' }))
    return ['sandbox', 'stock', 'AUSYD1', 'SBX-OOS', '5', '--sandbox', file]
  }

  it('is sent to this sandbox', async () => {
    const argv = writeSandbox(`${gateway.url}/`)
    expect(await runInProcess(argv, { env: gateway.env })).toMatchObject({ code: 0 })
    expect(controlled).toEqual(['/sandbox/stock'])
  })

  it('is sent to no other gateway', async () => {
    const { code, err } = await runInProcess(writeSandbox('http://127.0.0.1:9'), { env: gateway.env })
    expect(code).toBe(2)
    expect(err).toContain(`belongs to http://127.0.0.1:9, and is not sent to ${gateway.url}`)
    expect(controlled).toEqual([])
  })
})
