/**
 * The end of the audit log that is noted outside the database: whoever cuts the log off is found, and a restore from a
 * backup is told from that.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyAuditPart } from '../src/admin/audit/verification.ts'
import { recordOwnChange } from '../src/audit/audit.ts'
import { buildAnchorUpdate, findChainKey, type NotedHead } from '../src/audit/chain.ts'
import {
  listNotedHeads,
  noteAuditHead,
  noteRestoredAudit,
  readNotedHeads,
  recordRestoredAudit,
  toHeadFile,
} from '../src/audit/head.ts'
import { openGateway } from '../src/compose.ts'
import type { Gateway } from '../src/gateway.ts'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import type { AuditChainRow, AuditRow } from '../src/store/tables.ts'
import { openAuditLog } from './audit-log.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway
let gateway: Gateway
/** The lines about the audit log. */
const said: { readonly fields: LogFields; readonly message: string }[] = []
const { makeRows, readChainRow, readEnd, readRows, restore, verify } = openAuditLog(() => house)

beforeAll(async () => {
  const note = (fields: LogFields, message: string) => void said.push({ fields, message })
  house = await openTestGateway({
    unfilled: true,
    log: { ...jsonLog('silent'), info: note, error: note },
  })
  gateway = house.gateway
  await makeRows(2)
})
afterAll(() => house.close())

describe('the end that is noted outside the database', () => {
  let folder: string
  let watching: Gateway

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trade-gateway-audit-'))
    said.length = 0
    watching = await open()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function open() {
    const { config, store, erp, clock, log } = gateway
    return openGateway({ config, store, erp, clock, log, auditHeadFile: join(folder, 'audit-head-1.json') })
  }
  const readFile = () => JSON.parse(readFileSync(join(folder, 'audit-head-1.json'), 'utf8'))
  /** Records a restore and begins to note anew, as the first start on a restored database does. */
  async function acceptRestoredAudit(first: Gateway): Promise<boolean> {
    house.clock.advance(1_000)
    const isRecorded = await first.store.db.transaction().execute((tx) => recordRestoredAudit(first, tx))
    if (isRecorded) await noteRestoredAudit(first)
    return isRecorded
  }
  const listMessages = () =>
    said.map(({ message }) => message).filter((message) => message.includes('audit log'))

  it('is in a file that only its owner reads, and in one log line a minute', async () => {
    await noteAuditHead(watching)
    const { number, mac } = await readEnd()
    expect(readFile()).toMatchObject({ number, mac })
    expect(statSync(join(folder, 'audit-head-1.json')).mode & 0o777).toBe(0o600)
    await makeRows(1)
    await noteAuditHead(watching)
    expect(readFile().number).toBe(number + 1)
    expect(said.filter(({ message }) => message === 'the audit log ends here')).toMatchObject([
      { fields: { rows: number, subject: mac } },
    ])
    house.clock.advance(60_000)
    await makeRows(1)
    await noteAuditHead(watching)
    expect(listMessages()).toHaveLength(2)
  })

  it('is logged once the minute has passed, and when the process stops, also if nothing was added since', async () => {
    await makeRows(1)
    await noteAuditHead(watching)
    await makeRows(1)
    await noteAuditHead(watching)
    expect(listMessages()).toHaveLength(1)
    house.clock.advance(60_000)
    await noteAuditHead(watching)
    expect(said.at(-1)?.fields.subject).toBe((await readEnd()).mac)
    await noteAuditHead(watching)
    expect(listMessages()).toHaveLength(2)
    await makeRows(1)
    await noteAuditHead(watching, true)
    expect(said.at(-1)?.fields.subject).toBe((await readEnd()).mac)
  })

  it('is noted in the next turn if the file could not be written', async () => {
    await makeRows(1)
    rmSync(folder, { recursive: true })
    await expect(noteAuditHead(watching)).rejects.toThrow('ENOENT')
    mkdirSync(folder)
    await noteAuditHead(watching)
    expect(readFile()).toMatchObject({ mac: (await readEnd()).mac })
  })

  it('is never noted over an end that the log no longer has, also after a restart; an error tells it once a minute', async () => {
    const [rows, chain] = [await readRows(), await readChainRow()]
    await makeRows(2)
    await noteAuditHead(watching)
    const noted = readFile()
    await restore(rows, chain)
    watching = await open()
    said.length = 0
    for (let turn = 0; turn < 5; turn++) await noteAuditHead(watching)
    await makeRows(4)
    for (let turn = 0; turn < 5; turn++) await noteAuditHead(watching)
    expect(readFile()).toEqual(noted)
    expect(listMessages()).toEqual([
      'the audit log no longer has a row that was noted: npm run audit -- verify',
    ])
    expect(readNotedHeads(folder)).toEqual([noted])
    expect((await verify(readNotedHeads(folder))).first_problem).toMatchObject({ kind: 'replaced' })
    house.clock.advance(59_999)
    await noteAuditHead(watching)
    expect(listMessages()).toHaveLength(1)
    house.clock.advance(1)
    await noteAuditHead(watching)
    expect(said.at(-1)?.fields).toEqual({ rows: noted.number, subject: noted.mac })
    expect(listMessages()).toHaveLength(2)
  })

  it('is never noted over an end with the same number and another HMAC', async () => {
    const [rows, chain] = [await readRows(), await readChainRow()]
    await makeRows(2)
    await noteAuditHead(watching)
    const noted = readFile()
    await restore(rows, chain)
    await makeRows(2)
    expect((await readEnd()).number).toBe(noted.number)
    house.clock.advance(60_000)
    await noteAuditHead(watching)
    expect(readFile()).toEqual(noted)
    expect(listMessages().at(-1)).toContain('no longer has a row')
  })

  it('is noted once, at the time of its note', async () => {
    await noteAuditHead(watching)
    const at = new Date(house.clock.now()).toISOString()
    expect(readFile().at).toBe(at)
    house.clock.advance(60_000)
    await noteAuditHead(watching)
    expect(readFile().at).toBe(at)
  })

  it('is nothing for a log without rows, or without a chain', async () => {
    const fresh = await openTestGateway({ unfilled: true, log: gateway.log })
    said.length = 0
    await noteAuditHead(fresh.gateway)
    expect(listNotedHeads(fresh.gateway)).toEqual([])
    await fresh.gateway.store.db.deleteFrom('audit_chain').execute()
    await noteAuditHead(fresh.gateway)
    expect([listNotedHeads(fresh.gateway), listMessages()]).toEqual([[], []])
    await fresh.close()
  })

  it('is in the memory of a process without a data directory', async () => {
    const { config, store, erp, clock, log } = gateway
    const [rows, chain] = [await readRows(), await readChainRow()]
    await makeRows(1)
    const bare = await openGateway({ config, store, erp, clock, log })
    await noteAuditHead(bare)
    const { number, mac } = await readEnd()
    expect(listNotedHeads(bare)).toEqual([{ number, mac, at: new Date(clock.now()).toISOString() }])
    await restore(rows, chain)
    await acceptRestoredAudit(bare)
    const [head, ...others] = listNotedHeads(bare)
    expect([head?.mac, others]).toEqual([(await readEnd()).mac, []])
  })

  it('begins anew when the operator says that a backup was restored, and the log keeps what was noted', async () => {
    const [rows, chain] = [await readRows(), await readChainRow()]
    await makeRows(2)
    await noteAuditHead(watching)
    const noted = readFile()
    const others = ['audit-head-1.json.old', 'old-audit-head-1.json', 'settings.env']
    for (const name of [...others, 'audit-head-2.json'])
      writeFileSync(join(folder, name), JSON.stringify(noted))
    await restore(rows, chain)
    watching = await open()
    await acceptRestoredAudit(watching)
    expect((await verify(readNotedHeads(folder))).ok).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['audit-head-1.json', ...others])
    expect((await readRows()).at(-1)).toMatchObject({
      actor: 'gateway',
      action: 'gateway.audit.restore',
      subject: `admin_audit ${noted.number} ${noted.mac}`,
      detail: `{"before":{"rows":${noted.number}},"after":{"rows":${chain.number}}}`,
    })
  })

  it('is not needed for the log to have a row about the restore', async () => {
    const { number } = await readChainRow()
    await acceptRestoredAudit(watching)
    expect((await readRows()).at(-1)).toMatchObject({
      action: 'gateway.audit.restore',
      subject: 'admin_audit',
      detail: `{"before":{"rows":null},"after":{"rows":${number}}}`,
    })
  })

  it('stays if this process cannot record the restore, because it cannot open the key', async () => {
    const [rows, chain] = [await readRows(), await readChainRow()]
    await makeRows(1)
    await noteAuditHead(watching)
    const noted = readFile()
    await restore(rows, { ...chain, key_sealed: 'v1.changed' })
    expect(await acceptRestoredAudit(watching)).toBe(false)
    expect(await readRows()).toEqual(rows)
    house.clock.advance(60_000)
    await noteAuditHead(watching)
    expect(readFile()).toEqual(noted)
    expect(listMessages().at(-1)).toContain('no longer has a row')
    await restore(rows, chain)
  })

  describe('by a machine that did not begin the restored database', () => {
    let rows: AuditRow[]
    let chain: AuditChainRow
    let noted: NotedHead
    /** The process that begins it, on a machine with an empty directory. */
    let first: Gateway

    beforeEach(async () => {
      rows = await readRows()
      chain = await readChainRow()
      await makeRows(3)
      await noteAuditHead(watching)
      noted = readFile()
      await restore(rows, chain)
      watching = await open()
      const { config, store, erp, clock, log } = gateway
      first = await openGateway({ config, store, erp, clock, log })
      house.clock.advance(60_000)
      said.length = 0
    })
    afterEach(() => restore(rows, chain))
    const expectAlarm = async (kind: string) => {
      await noteAuditHead(watching)
      expect(listMessages().at(-1)).toContain('no longer has a row')
      expect((await verify(readNotedHeads(folder))).first_problem).toMatchObject({ kind })
      expect(await verifyAuditPart(watching, {})).toMatchObject({ ok: false, first_problem: { kind } })
      expect(readFile()).toEqual(noted)
    }

    it('begins anew without an alarm, and a loss that nobody recorded is recorded once', async () => {
      await acceptRestoredAudit(first)
      expect(await verify(readNotedHeads(folder)), 'before the process has noticed').toMatchObject({
        ok: true,
      })
      expect(await verifyAuditPart(watching, {})).toMatchObject({ ok: true })
      const older = { ...noted, number: noted.number - 1 }
      writeFileSync(toHeadFile(folder, '2'), JSON.stringify(older))
      await noteAuditHead(watching)
      const { number, mac } = await readEnd()
      expect(readFile()).toMatchObject({ number, mac })
      expect(readdirSync(folder)).toEqual(['audit-head-1.json'])
      expect((await readRows()).slice(rows.length)).toMatchObject([
        { action: 'gateway.audit.restore' },
        {
          actor: 'gateway',
          action: 'gateway.audit.loss',
          subject: `admin_audit ${noted.number} ${noted.mac}`,
          detail: `{"before":{"rows":${noted.number}},"after":{"rows":${chain.number}}}`,
        },
      ])
      // The directory of a third machine, or of another process that starts at the same time.
      writeFileSync(toHeadFile(folder, '1'), JSON.stringify(noted))
      watching = await open()
      await noteAuditHead(watching)
      expect(readFile()).toMatchObject({ number, mac })
      expect((await readChainRow()).number).toBe(number)
      expect(listMessages().filter((message) => message.includes('no longer'))).toEqual([])
      expect(await verify(readNotedHeads(folder))).toMatchObject({ ok: true })
    })

    it('adds nothing to a loss that the restore recorded', async () => {
      first.memory.auditHead.noted = noted
      await acceptRestoredAudit(first)
      const { number } = await readChainRow()
      await noteAuditHead(watching)
      expect(readFile().number).toBe(number)
      expect((await readChainRow()).number).toBe(number)
    })

    it('begins anew after several restores, and also if others have written more rows than were lost', async () => {
      await makeRows(4)
      await acceptRestoredAudit(first)
      await makeRows(1)
      await acceptRestoredAudit(first)
      await noteAuditHead(watching)
      expect(readFile()).toMatchObject({ mac: (await readEnd()).mac })
      expect(listMessages().filter((message) => message.includes('no longer'))).toEqual([])
    })

    it('stays if no restore was recorded', async () => {
      await expectAlarm('cut_off')
      await makeRows(5)
      house.clock.advance(60_000)
      await expectAlarm('replaced')
    })

    it.each([0, 1])('stays if it was noted %i ms after the restore', async (later) => {
      await acceptRestoredAudit(first)
      noted = { ...noted, at: new Date(house.clock.now() + later).toISOString() }
      writeFileSync(toHeadFile(folder, '1'), JSON.stringify(noted))
      await expectAlarm('cut_off')
    })

    it('stays if it was noted after the restore, whatever else the directory has from before it', async () => {
      await acceptRestoredAudit(first)
      const [restored, end] = [await readRows(), await readChainRow()]
      const before = { ...noted, number: noted.number + 100 }
      await makeRows(2)
      house.clock.advance(1_000)
      noted = { ...(await readEnd()), at: new Date(house.clock.now()).toISOString() }
      await restore(restored, end)
      writeFileSync(toHeadFile(folder, '1'), JSON.stringify(noted))
      writeFileSync(toHeadFile(folder, '2'), JSON.stringify(before))
      house.clock.advance(60_000)
      await noteAuditHead(watching)
      await expectAlarm('cut_off')
    })

    it.each(['gateway.audit.restore', 'gateway.audit.loss', 'gateway.audit.link'])(
      'stays if somebody without the key writes a row "%s", or the log has another kind of row',
      async (action) => {
        const { db } = gateway.store
        const [row] = rows
        if (!row) throw new Error('There is no row.')
        const forged = { ...row, audit_id: 'aud_forged', action, at: house.clock.now() }
        const place = { number: chain.number + 1, mac: 'A'.repeat(43) }
        await db
          .insertInto('admin_audit')
          .values({ ...forged, ...place })
          .execute()
        await db.updateTable('audit_chain').set(place).execute()
        await db
          .insertInto('restores')
          .values({ origin: 'forged', taken_at: 1, restored_at: forged.at })
          .execute()
        await noteAuditHead(watching)
        expect(listMessages().at(-1)).toContain('no longer has a row')
        expect(readFile()).toEqual(noted)
        expect((await verify(readNotedHeads(folder))).ok).toBe(false)
        await db.deleteFrom('restores').execute()
        await restore(rows, chain)
        // A row that a gateway wrote excuses nothing either if it is not of a restore.
        if (action === 'gateway.audit.restore') return
        await db
          .transaction()
          .execute((tx) =>
            recordOwnChange(gateway, tx, { actor: 'gateway', action, subject: '', before: null, after: {} }),
          )
        await expectAlarm('cut_off')
      },
    )

    it('begins anew also if the row of the restore is the oldest that the log has', async () => {
      await acceptRestoredAudit(first)
      const { number } = await readChainRow()
      const key = findChainKey(gateway.secrets, await readChainRow())
      const last = rows.at(-1)
      if (!key || !last) throw new Error('There is no chain.')
      await gateway.store.db.transaction().execute(async (tx) => {
        await tx.deleteFrom('admin_audit').where('number', '<', number).execute()
        await buildAnchorUpdate(tx, key, { number: number - 1, mac: last.mac ?? '' }).execute()
      })
      await noteAuditHead(watching)
      expect(readFile().mac).toBe((await readEnd()).mac)
      expect(await verify(readNotedHeads(folder))).toMatchObject({ ok: true })
    })
  })

  it('begins anew for a process that has noted nothing itself', async () => {
    const { mac, at } = await readEnd()
    writeFileSync(join(folder, 'audit-head-2.json'), JSON.stringify({ number: 1_000_000, mac, at }))
    await acceptRestoredAudit(watching)
    expect(readdirSync(folder)).toEqual(['audit-head-1.json'])
    expect(readFile().mac).toBe((await readEnd()).mac)
  })

  it.each([
    ['2', '3'],
    ['3', '2'],
  ])('is the newest that a process has noted, in file %s', async (newest, older) => {
    const { number, mac, at } = await readEnd()
    writeFileSync(toHeadFile(folder, newest), JSON.stringify({ number: number + 5, mac, at }))
    writeFileSync(toHeadFile(folder, older), JSON.stringify({ number, mac, at }))
    await noteAuditHead(watching)
    expect(said.at(-1)?.fields).toEqual({ rows: number + 5, subject: mac })
  })

  it('is read from nothing else, and a damaged file says nothing', () => {
    const head = { number: 1, mac: 'a', at: '2026-11-21T12:00:00.000Z' }
    const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value))
    for (const [at, damaged] of [
      { ...head, number: 1.5 },
      { ...head, number: '1' },
      { ...head, mac: 1 },
      { ...head, at: 1 },
      { number: 1 },
      null,
      7,
    ].entries())
      write(`audit-head-damaged-${at}.json`, damaged)
    write('audit-head-1.json.old', head)
    write('old-audit-head-1.json', head)
    expect(readNotedHeads(folder)).toEqual([])
    writeFileSync(toHeadFile(folder, 'w2'), JSON.stringify(head))
    expect(readNotedHeads(folder)).toEqual([head])
    expect(readNotedHeads(join(folder, 'none'))).toEqual([])
  })

  it('is of every process that shares the folder, and a damaged file says nothing', async () => {
    const { number, mac, at } = await readEnd()
    writeFileSync(join(folder, 'audit-head-2.json'), JSON.stringify({ number: number + 1, mac, at }))
    writeFileSync(join(folder, 'audit-head-3.json'), '{"number": 1')
    expect(readNotedHeads(folder)).toEqual([{ number: number + 1, mac, at }])
    await noteAuditHead(watching)
    expect(listMessages()).toEqual([
      'the audit log no longer has a row that was noted: npm run audit -- verify',
    ])
  })
})
