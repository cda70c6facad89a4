/** `SECRETS_KEY` and its rotation, tested with whole gateways on one store, each with its own keys. */

import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { Resealer, sealedColumns } from '../src/reseal.ts'
import { openInstallation } from '../src/store/installation.ts'
import { type Store, StoreUnusable } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { call, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { createDraft, expectData, openSecondGateway, openShop } from './trade.ts'

const keyA = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
const keyB = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'
const passphrase = 'an operator’s own sentence, which is long enough'

const setOnlyKey = (key: string) => ({ SECRETS_KEY: key })
const setBothKeys = (key: string, previous: string) => ({ SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: previous })
const buildKeys = (present: string, previous?: string) => ({ present, previous })

/** One sealed value of each kind, and what a test needs to use it afterwards. */
interface Filled {
  readonly token: string
  readonly key: string
  readonly answer: string
  readonly endpoint_id: string
  readonly secret: string
}

let numbers = 0

async function sealOneOfEach(house: TestGateway): Promise<Filled> {
  numbers += 1
  const shop = openShop(house)
  const token = await shop.token()
  const key = `key-${numbers}`
  const registered = await shop.post(
    '/webhook-endpoints',
    { url: `https://receiver-${numbers}.example/hooks`, event_types: ['order.created'] },
    { 'idempotency-key': key },
  )
  const { endpoint_id } = expectData(registered, 201)
  const { secret } = expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/secret-rotations`), 201)
  return { token, key, answer: registered.text, endpoint_id, secret }
}

/**
 * Checks that every sealed value can be used: the stored response, the session at the ERP, the webhook secret and the
 * signing key.
 */
async function expectUsable(house: TestGateway, { token, key, answer, endpoint_id, secret }: Filled) {
  const { url } = JSON.parse(answer).data
  const replayed = await call(house, 'POST', '/api/v1/webhook-endpoints', {
    token,
    body: { url, event_types: ['order.created'] },
    headers: { 'idempotency-key': key },
  })
  expect(replayed.text).toBe(answer)
  const send = createSender(house, token)
  const { order_id } = await createDraft({ ...openShop(house), post: send }, await findOrderableSku(house))
  expectData(await send(`/orders/${order_id}/submit`))
  const row = await house.gateway.store.db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('endpoint_id', '=', endpoint_id)
    .executeTakeFirstOrThrow()
  const purpose = `webhook secret ${endpoint_id} ${row.channel_code}`
  expect(house.gateway.secrets.unseal(row.secret_sealed, purpose)).toBe(secret)
  const formers: { sealed: string }[] = JSON.parse(row.formers)
  expect(formers).toHaveLength(1)
  for (const { sealed } of formers) expect(house.gateway.secrets.unseal(sealed, purpose)).toMatch(/^whsec_/)
  await house.gateway.keys.rotate()
  expect((await call(house, 'GET', '/api/v1/me', { token: await signInBuyer(house) })).status).toBe(200)
}

/** Returns the SKU that these tests order from an ERP. The first call for an ERP picks it and gives it enough stock. */
async function findOrderableSku(house: TestGateway): Promise<string> {
  const known = goods.get(house.sandbox)
  if (known !== undefined) return known
  const sku = await openShop(house).createSku({ AUSYD1: 1_000 })
  goods.set(house.sandbox, sku)
  return sku
}
const goods = new WeakMap<TestGateway['sandbox'], string>()

const createSender =
  (house: TestGateway, token: string) =>
  (path: string, body: unknown = {}) =>
    call(house, 'POST', `/api/v1${path}`, { token, body })

/** Returns the content of every table as text. */
async function dumpTables({ db }: Store): Promise<string> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db).then((found) => found.rows)),
  )
  return JSON.stringify(rows)
}

/** Returns the text with which every value begins that is sealed (encrypted) with this key. */
const buildSealedPrefix = (keyId: string) =>
  Buffer.concat([Buffer.of(2), Buffer.from(keyId, 'hex')]).toString('base64url')

const countParts = (text: string, part: string) => text.split(part).length - 1

const countKeysInUse = async (house: TestGateway) =>
  (await call(house, 'GET', '/statusz')).json.data.secrets.keys_in_use

/** Returns what the audit log says of the rotations that have ended. */
async function readRotations({ gateway }: TestGateway): Promise<unknown[]> {
  const rows = await gateway.store.db
    .selectFrom('admin_audit')
    .select('detail')
    .where('action', '=', 'gateway.secrets_key.rotate')
    .execute()
  return rows.map(({ detail }) => JSON.parse(detail))
}

/**
 * Runs the resealer, which encrypts values with the present key again, until two searches through all columns have
 * found no value of another key.
 */
async function resealAll(house: TestGateway) {
  const resealer = new Resealer(house.gateway)
  for (let turns = 0; turns < 2; turns++) while (await resealer.turn());
}

describe('a rotation of SECRETS_KEY', () => {
  let house: TestGateway
  const beside: TestGateway[] = []
  const openFurtherProcess = async (settings: Record<string, string>) => {
    const opened = await openSecondGateway(house, settings)
    beside.push(opened)
    return opened
  }

  beforeEach(async () => {
    house = await openTestGateway({ settings: setOnlyKey(keyA) })
    await findOrderableSku(house)
    return async () => {
      for (const each of beside.splice(0)) await each.close()
      await house.close()
    }
  })

  it('goes from process to process, and no process meets a value that it cannot open', async () => {
    const steps = [
      [setOnlyKey(keyA), setOnlyKey(keyA)],
      [setBothKeys(keyA, keyB), setOnlyKey(keyA)],
      [setBothKeys(keyA, keyB), setBothKeys(keyA, keyB)],
      [setBothKeys(keyB, keyA), setBothKeys(keyA, keyB)],
      [setBothKeys(keyB, keyA), setBothKeys(keyB, keyA)],
    ]
    const filled: Filled[] = []
    for (const step of steps) {
      const processes = await Promise.all(step.map(openFurtherProcess))
      for (const process of processes) filled.push(await sealOneOfEach(process))
      for (const process of processes) {
        await new Resealer(process.gateway).turn()
        for (const each of filled) await expectUsable(process, each)
      }
      // A channel may have at most five webhook endpoints, so all but the last two are deleted.
      for (const { endpoint_id, token } of filled.splice(0, filled.length - 2))
        expectData(await call(house, 'DELETE', `/api/v1/webhook-endpoints/${endpoint_id}`, { token }))
    }
    const last = await openFurtherProcess(setBothKeys(keyB, keyA))
    await resealAll(last)
    expect(await countKeysInUse(last)).toBe(1)
    const after = await openFurtherProcess(setOnlyKey(keyB))
    for (const each of filled) await expectUsable(after, each)
  }, 120_000)

  it('seals every value again, and then the previous key opens nothing and is not required', async () => {
    const before = await sealOneOfEach(house)
    const former = buildSealedPrefix(house.gateway.secrets.keyId)
    expect(countParts(await dumpTables(house.gateway.store), former)).toBeGreaterThanOrEqual(
      sealedColumns.length,
    )
    const rotating = await openFurtherProcess(setBothKeys(keyB, keyA))
    expect(await countKeysInUse(rotating)).toBe(2)
    await resealAll(rotating)
    const text = await dumpTables(house.gateway.store)
    expect(countParts(text, former)).toBe(0)
    expect(countParts(text, buildSealedPrefix(rotating.gateway.secrets.keyId))).toBeGreaterThanOrEqual(
      sealedColumns.length,
    )
    expect(await countKeysInUse(rotating)).toBe(1)
    expect(await readRotations(rotating)).toEqual([
      {
        before: { key_ids: [house.gateway.secrets.keyId, rotating.gateway.secrets.keyId] },
        after: { key_ids: [rotating.gateway.secrets.keyId] },
      },
    ])
    await expectUsable(await openFurtherProcess(setOnlyKey(keyB)), before)
    await expect(openFurtherProcess(setOnlyKey(keyA))).rejects.toThrow(/SECRETS_KEY is not the key/)
  })

  it('refuses a start without the previous key while values of it are left, with 78', async () => {
    await sealOneOfEach(house)
    await openFurtherProcess(setBothKeys(keyB, keyA))
    const refused = openFurtherProcess(setOnlyKey(keyB))
    await expect(refused).rejects.toThrow(/holds values that another SECRETS_KEY has sealed/)
    await expect(refused).rejects.toMatchObject({ exitCode: 78 })
    await expect(refused).rejects.toBeInstanceOf(StoreUnusable)
    const former = openFurtherProcess(setOnlyKey(keyA))
    await expect(former).rejects.toThrow(/SECRETS_KEY is not the key/)
  })

  it('counts the former key as used if a start of it came during the look', async () => {
    const rotating = await openFurtherProcess(setBothKeys(keyB, keyA))
    await resealAll(rotating)
    expect(await countKeysInUse(rotating)).toBe(1)
    const late = await openFurtherProcess(setBothKeys(keyB, keyA))
    expect(await countKeysInUse(rotating)).toBe(2)
    const { store, secrets, clock, ids, log } = rotating.gateway
    // The resealer notes which keys may be unused before it takes this lock. Here, a start uses the former key just
    // before the resealer gets the lock.
    const withLock: Store['withLock'] = async (name, waitMs, work) => {
      await openInstallation(store, buildKeys(keyB, keyA), ids)
      return store.withLock(name, waitMs, work)
    }
    await new Resealer({ store: { ...store, withLock }, secrets, clock, ids, log }).turn()
    expect(await countKeysInUse(rotating)).toBe(2)
    await new Resealer(late.gateway).turn()
    expect(await countKeysInUse(rotating)).toBe(1)
  })

  it('leaves the values to the process that was started last, while one with the former key still runs', async () => {
    const former = await openFurtherProcess(setBothKeys(keyA, keyB))
    const next = await openFurtherProcess(setBothKeys(keyB, keyA))
    await resealAll(next)
    const head = buildSealedPrefix(next.gateway.secrets.keyId)
    const sealed = countParts(await dumpTables(house.gateway.store), head)
    await resealAll(former)
    expect(countParts(await dumpTables(house.gateway.store), head)).toBe(sealed)
  })

  it('counts the former key again when its process goes on sealing', async () => {
    const former = await openFurtherProcess(setBothKeys(keyA, keyB))
    const next = await openFurtherProcess(setBothKeys(keyB, keyA))
    await resealAll(next)
    expect(await countKeysInUse(next)).toBe(1)
    const late = await sealOneOfEach(former)
    await new Resealer(former.gateway).turn()
    expect(await countKeysInUse(next)).toBe(2)
    await resealAll(next)
    await expectUsable(await openFurtherProcess(setOnlyKey(keyB)), late)
  })

  it('leaves a value alone that was moved to another row, and counts it in the log', async () => {
    const lines: string[] = []
    const [one, two] = [await sealOneOfEach(house), await sealOneOfEach(house)]
    const { db } = house.gateway.store
    const readSealed = async ({ endpoint_id }: Filled) =>
      (
        await db
          .selectFrom('webhook_endpoints')
          .select('secret_sealed')
          .where('endpoint_id', '=', endpoint_id)
          .executeTakeFirstOrThrow()
      ).secret_sealed
    const secret_sealed = await readSealed(one)
    await db
      .updateTable('webhook_endpoints')
      .set({ secret_sealed })
      .where('endpoint_id', '=', two.endpoint_id)
      .execute()
    const rotating = await openFurtherProcess(setBothKeys(keyB, keyA))
    const log = jsonLog('warn', { write: (line: string) => void lines.push(line) })
    const resealer = new Resealer({ ...rotating.gateway, log })
    while (await resealer.turn());
    expect(await readSealed(two)).toBe(secret_sealed)
    expect(await readSealed(one)).not.toBe(secret_sealed)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', rows: 1, msg: expect.stringContaining('cannot be opened') },
    ])
    await resealer.turn()
    expect(await countKeysInUse(rotating), 'what no key opens does not hold up a rotation').toBe(1)
  })

  it('keeps what somebody changed while it was sealed again', async () => {
    const { endpoint_id } = await sealOneOfEach(house)
    const rotating = await openFurtherProcess(setBothKeys(keyB, keyA))
    const { store } = rotating.gateway
    const shop = openShop(house)
    await shop.token()
    let secret = ''
    const between: Store = {
      ...store,
      db: store.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (secret === '' && JSON.stringify(result.rows).includes(endpoint_id)) {
            secret = '…'
            secret = expectData(
              await shop.post(`/webhook-endpoints/${endpoint_id}/secret-rotations`),
              201,
            ).secret
          }
          return result
        },
      }),
    }
    const resealer = new Resealer({ ...rotating.gateway, store: between })
    while (await resealer.turn());
    expect(await countKeysInUse(rotating), 'a look that found values proves nothing').toBe(2)
    const row = await store.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('endpoint_id', '=', endpoint_id)
      .executeTakeFirstOrThrow()
    const purpose = `webhook secret ${endpoint_id} ${row.channel_code}`
    expect(rotating.gateway.secrets.unseal(row.secret_sealed, purpose)).toBe(secret)
    expect(JSON.parse(row.formers)).toHaveLength(2)
  })
})

const onPostgres = describe.skipIf(
  shouldSkip('rows locked while values are sealed again', { postgres: true }),
)

onPostgres('a row that somebody has locked', () => {
  it('is not waited for, and is sealed again by the next look', async () => {
    const house = await openTestGateway({ settings: setOnlyKey(keyA) })
    const { endpoint_id } = await sealOneOfEach(house)
    const rotating = await openSecondGateway(house, setBothKeys(keyB, keyA))
    const { db, locking } = house.gateway.store
    await db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('webhook_endpoints')
        .select('endpoint_id')
        .where('endpoint_id', '=', endpoint_id)
        .modifyEnd(locking.forUpdate)
        .execute()
      await resealAll(rotating)
      expect(await countKeysInUse(rotating)).toBe(2)
    })
    await resealAll(rotating)
    expect(await countKeysInUse(rotating)).toBe(1)
    await rotating.close()
    await house.close()
  })
})

describe('a database of the version without key ids', () => {
  it.each([keyA, passphrase])(
    'works with its SECRETS_KEY, and its values are sealed again: %s',
    async (key) => {
      const house = await openTestGateway({ settings: setOnlyKey(key) })
      const before = await sealOneOfEach(house)
      await sealAllAsFormer(house, key)
      expect(
        countParts(await dumpTables(house.gateway.store), buildSealedPrefix(house.gateway.secrets.keyId)),
      ).toBe(0)
      const wrong = openSecondGateway(house, setOnlyKey(keyB))
      await expect(wrong).rejects.toThrow(/SECRETS_KEY is not the key/)
      const next = await openSecondGateway(house, setOnlyKey(key))
      expect(await countKeysInUse(next)).toBe(2)
      await expectUsable(next, before)
      await resealAll(next)
      expect(await countKeysInUse(next)).toBe(1)
      await expectUsable(next, before)
      const { db } = next.gateway.store
      const formerOnes = await Promise.all(sealedColumns.map((column) => column.read(db, '', 1_000)))
      // A value that the former version sealed begins with the version byte 1, which these patterns match in
      // base64url.
      for (const { stored } of formerOnes.flat()) expect(stored).not.toMatch(/^A[Q-f]|"A[Q-f]/)
      await next.close()
      await house.close()
    },
  )

  it('can have its key rotated at once', async () => {
    const house = await openTestGateway({ settings: setOnlyKey(keyA) })
    const before = await sealOneOfEach(house)
    await sealAllAsFormer(house, keyA)
    const rotating = await openSecondGateway(house, setBothKeys(keyB, keyA))
    await expectUsable(rotating, before)
    await resealAll(rotating)
    expect(await countKeysInUse(rotating)).toBe(1)
    await rotating.close()
    const after = await openSecondGateway(house, setOnlyKey(keyB))
    await expectUsable(after, before)
    await after.close()
    await house.close()
  })
})

/** Seals every value as the former version did, and removes what that version did not write. */
async function sealAllAsFormer(house: TestGateway, secretsKey: string) {
  const { store, secrets } = house.gateway
  const { db } = store
  for (const column of sealedColumns) {
    for (const row of await column.read(db, '', 1_000)) {
      const text = column.mapValues(row.stored, (sealed) =>
        sealAsFormer(secretsKey, secrets.unseal(sealed, row.purpose), row.purpose),
      )
      await db.transaction().execute((tx) => column.replace(tx, { ...row, text }, secrets))
    }
  }
  const value = sealAsFormer(secretsKey, 'ok', 'installation check')
  await db.updateTable('installation').set({ value }).where('key', '=', 'check').execute()
  await db.deleteFrom('installation').where('key', 'like', 'sealed by %').execute()
}

function sealAsFormer(secretsKey: string, text: string, purpose: string): string {
  const key = createHash('sha256').update(`trade-gateway sealing ${secretsKey}`).digest()
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body]).toString('base64url')
}
