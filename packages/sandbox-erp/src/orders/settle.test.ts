import { afterEach, describe, expect, it } from 'vitest'
import {
  createHoldInput,
  createSubmitInput,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'

let sandbox: TestErp | undefined
afterEach(() => sandbox?.close())

const two = { [plentiful]: 2 }

describe.each([true, false])('settle at an ERP that dedupes: %s', (dedupes_by_reference) => {
  const open = async (): Promise<TestErp> => {
    sandbox = await openTestErp({ capabilities: { dedupes_by_reference } })
    return sandbox
  }

  it('finds what was created, and lets nothing else be created under its reference', async () => {
    const house = await open()
    const input = createSubmitInput(house, 'R-1', two)
    const made = await house.erp.submit(input)
    const document = 'ok' in made ? made.ok.document : undefined
    const settled = { ok: { state: 'found', document } }
    expect(await house.erp.settle({ reference: 'R-1' })).toEqual(settled)
    const before = readStock(house, plentiful)
    expect(await house.erp.submit(input)).toMatchObject({ ok: { document } })
    expect(readStock(house, plentiful)).toEqual(before)
    expect(await house.erp.settle({ reference: 'R-1' })).toEqual(settled)
  })

  it('fences an unknown reference: a hold or submit that arrives later creates nothing', async () => {
    const house = await open()
    const before = readStock(house, plentiful)
    const settled = { ok: { state: 'absent', document: null } }
    expect(await house.erp.settle({ reference: 'R-2' })).toEqual(settled)
    const refused = { rejected: { reason: 'invalid_state' } }
    expect(await house.erp.submit(createSubmitInput(house, 'R-2', two))).toMatchObject(refused)
    expect(await house.erp.hold(createHoldInput(house, 'R-2', two))).toMatchObject(refused)
    expect(await house.erp.settle({ reference: 'R-2' })).toEqual(settled)
    expect(readStock(house, plentiful)).toEqual(before)
  })

  it('does not stop the void of an order that it found', async () => {
    const house = await open()
    await house.erp.submit(createSubmitInput(house, 'R-3', two))
    await house.erp.settle({ reference: 'R-3' })
    expect(await house.erp.void({ reference: 'R-3' })).toMatchObject({
      ok: { document: { status: 'cancelled' } },
    })
  })
})

it('an ERP that does not settle refuses it', async () => {
  sandbox = await openTestErp({ capabilities: { settles: false } })
  expect(await sandbox.erp.settle({ reference: 'R-1' })).toMatchObject({
    rejected: { reason: 'not_supported' },
  })
})
