import { beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { encodeBase32 } from '../kernel/ids.ts'
import { deriveSecrets, type Secrets } from '../kernel/secrets.ts'
import {
  deriveId,
  deriveNextReference,
  deriveReference,
  deriveSecretId,
  listFormerNextReferences,
  listFormerReferences,
} from './reference.ts'

/** The parts of a gateway that name documents, after it was restored with these origins. */
function createNaming(origins: readonly string[] = [], installation = 'one') {
  const restores = origins.map((origin, index) => ({ origin, taken_at: index, restored_at: index }))
  return { installation, memory: { restores } } as unknown as Gateway
}

const fresh = createNaming()

describe('the reference of a document', () => {
  it('is TG and 16 characters, the same in every process of the installation', () => {
    expect(deriveReference(fresh, 'order', 'ord_1')).toBe(deriveReference(createNaming(), 'order', 'ord_1'))
    expect(deriveReference(fresh, 'order', 'ord_1')).toMatch(/^TG[0-9A-HJKMNP-TV-Z]{16}$/)
    // The ERP has documents under the references of earlier versions of the gateway, so they never change.
    expect(deriveReference(fresh, 'order', 'ord_1')).toBe('TG7748XHH7AFDR223D')
    expect(deriveReference(createNaming(['first']), 'order', 'ord_1')).toBe('TGEWFP78GXKCV7X8MZ')
  })

  it('differs for other parts, another installation and after each restore', () => {
    const references = [
      deriveReference(fresh, 'order', 'ord_1'),
      deriveReference(fresh, 'order', 'ord_2'),
      deriveReference(fresh, 'orderord_1'),
      deriveReference(fresh, 'hold', 'ord_1'),
      deriveReference(createNaming([], 'two'), 'order', 'ord_1'),
      deriveReference(createNaming(['first']), 'order', 'ord_1'),
      deriveReference(createNaming(['first', 'second']), 'order', 'ord_1'),
    ]
    expect(new Set(references).size).toBe(references.length)
  })

  it('is followed by another one when the ERP refuses it', () => {
    const first = deriveReference(fresh, 'order', 'ord_1')
    const second = deriveNextReference(fresh, first)
    expect(second).toBe(deriveReference(fresh, 'after', first))
    expect(new Set([first, second, deriveNextReference(fresh, second)]).size).toBe(3)
  })

  it('is known for each time before a restore, the newest first, and for four of them at most', () => {
    const origins = ['1', '2', '3', '4', '5', '6']
    const restored = createNaming(origins)
    const listSince = (count: number) =>
      listFormerReferences(createNaming(origins.slice(0, count)), 'order', 'ord_1')
    const derivedIn = (count: number) =>
      deriveReference(createNaming(origins.slice(0, count)), 'order', 'ord_1')
    expect(listSince(0)).toEqual([])
    expect(listSince(1)).toEqual([derivedIn(0)])
    expect(listSince(3)).toEqual([derivedIn(2), derivedIn(1), derivedIn(0)])
    expect(listSince(6)).toEqual([derivedIn(5), derivedIn(4), derivedIn(3), derivedIn(2)])
    expect(listFormerNextReferences(restored, 'TG1')).toEqual(listFormerReferences(restored, 'after', 'TG1'))
  })
})

describe('the id of a record', () => {
  let secrets: Secrets
  let others: Secrets
  beforeAll(async () => {
    const derive = (digit: string) =>
      deriveSecrets({ present: '0123456789abcde'.repeat(4) + digit.repeat(4) }, 'one')
    ;[secrets, others] = [await derive('0'), await derive('1')]
  })

  it('of the ERP has its prefix and 26 characters, and differs by prefix, number and installation', () => {
    const id = deriveId(fresh, 'bil', '4711')
    expect(id).toBe('bil_cdwc3601mmh9vvbce0yehpyn20')
    const others = [
      deriveId(fresh, 'txn', '4711').replace('txn', 'bil'),
      deriveId(fresh, 'bil', '4712'),
      deriveId(fresh, 'bil', '47', '11'),
      deriveId(createNaming([], 'two'), 'bil', '4711'),
    ]
    expect(new Set([id, ...others]).size).toBe(5)
  })

  it('of the channel’s document cannot be computed without the key', () => {
    const gateway = { secrets } as Gateway
    const id = deriveSecretId(gateway, 'dso', 'CH', 'WEB-1')
    expect(id).toMatch(/^dso_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(deriveSecretId(gateway, 'dso', 'CH', 'WEB-1')).toBe(id)
    const signature = Buffer.from(secrets.sign('["CH","WEB-1"]', 'id dso'), 'base64url')
    expect(id).toBe(`dso_${encodeBase32(signature.subarray(0, 16))}`)
    const different = [
      deriveSecretId({ secrets: others } as Gateway, 'dso', 'CH', 'WEB-1'),
      deriveSecretId(gateway, 'ord', 'CH', 'WEB-1').replace('ord', 'dso'),
      deriveSecretId(gateway, 'dso', 'CH', 'WEB-2'),
      deriveSecretId(gateway, 'dso', 'CHWEB-1'),
    ]
    expect(new Set([id, ...different]).size).toBe(5)
  })
})
