/**
 * Links the rows of the audit log to a chain. Each row has the next number and the HMAC over its content and over the
 * HMAC of its predecessor, so that nobody without the key can change, remove, insert or swap rows unnoticed.
 *
 * The key is random and sealed with `SECRETS_KEY` in the table `audit_chain`, so that the chain outlives a rotation
 * (decision 051). The only row of that table is also the lock of the chain. A transaction takes it in its last
 * statements, and takes no other lock after it: so appending transactions wait for each other, but never in a circle.
 */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Gateway } from '../gateway.ts'
import type { Secrets } from '../kernel/secrets.ts'
import { describeSealedColumn } from '../store/sealed-column.ts'
import { type Db, executePipelined, type Tx } from '../store/store.ts'
import type { AuditChainRow, AuditRow } from '../store/tables.ts'

export const chainName = 'admin_audit'
const keyBytes = 32

export type ChainParts = Pick<Gateway, 'store' | 'secrets' | 'clock' | 'ids'>

/** A place in the chain: the number of a row and its HMAC. 0 and empty before the first row. */
export interface Link {
  readonly number: number
  readonly mac: string
}

export const beginning: Link = { number: 0, mac: '' }

/** An end of the audit log that was noted outside the database, and when. */
export interface NotedHead extends Link {
  readonly at: string
}

/** The content of a row, before it has its place in the chain. */
export type AuditContent = Omit<AuditRow, 'number' | 'mac'>

/** The chain's key, and when it was created in epoch milliseconds. */
export interface ChainKey {
  readonly hmac: KeyObject
  readonly createdAt: number
}

const buildPurpose = (name: string) => `audit chain ${name}`

/** The sealed key, for resealing. */
export const sealedChainKey = describeSealedColumn({
  table: 'audit_chain',
  key: 'name',
  column: 'key_sealed',
  purposeOf: buildPurpose,
})

/** Creates the chain with a new key, unless the database has one. */
export async function createChain({ store, secrets, clock, ids }: ChainParts): Promise<void> {
  const bytes = ids.bytes(keyBytes)
  const key = toChainKey(bytes, clock.now())
  const sealed = secrets.seal(`${key.createdAt} ${bytes.toString('base64url')}`, buildPurpose(chainName))
  await store.db
    .insertInto('audit_chain')
    .values({
      name: chainName,
      key_sealed: sealed,
      ...toEndColumns(beginning),
      ...toAnchorColumns(key, beginning),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Opens the chain's key; undefined if it was changed, or sealed with a key that this process does not have. */
export function findChainKey(secrets: Secrets, chain: AuditChainRow): ChainKey | undefined {
  try {
    return openChainKey(secrets, chain)
  } catch {
    return undefined
  }
}

function openChainKey(secrets: Secrets, { key_sealed }: Pick<AuditChainRow, 'key_sealed'>): ChainKey {
  const [createdAt = '', key = ''] = secrets.unseal(key_sealed, buildPurpose(chainName)).split(' ')
  return toChainKey(Buffer.from(key, 'base64url'), Number(createdAt))
}

function toChainKey(bytes: Buffer, createdAt: number): ChainKey {
  return { hmac: createSecretKey(bytes), createdAt }
}

/** Reads the chain's end and its anchor; undefined if there is no chain. */
export function readChain(db: Db | Tx): Promise<AuditChainRow | undefined> {
  return selectChain(db).executeTakeFirst()
}

/** Locks the chain until the transaction ends. Throws if there is no chain: no row can be linked then. */
export async function lockChain({ store }: Pick<Gateway, 'store'>, tx: Tx): Promise<AuditChainRow> {
  const chain = await selectChain(tx).modifyEnd(store.locking.forUpdate).executeTakeFirst()
  if (!chain) throw new Error('The audit log has no chain: its row in audit_chain was removed.')
  return chain
}

function selectChain(db: Db | Tx) {
  return db
    .selectFrom('audit_chain')
    .select(['name', 'key_sealed', 'number', 'mac', 'anchor_number', 'anchor_mac', 'anchor_seal'])
    .where('name', '=', chainName)
}

/**
 * Appends rows to the chain. It locks the chain until the transaction ends, so it must be the transaction's last
 * statement.
 */
export async function appendToChain(
  parts: Omit<ChainParts, 'ids' | 'clock'>,
  tx: Tx,
  contents: readonly AuditContent[],
) {
  const chain = await lockChain(parts, tx)
  const key = openChainKey(parts.secrets, chain)
  let end: Link = chain
  const rows = contents.map((content) => {
    end = linkRow(key, end, content)
    return { ...content, ...end }
  })
  await executePipelined(tx, [tx.insertInto('admin_audit').values(rows), buildEndUpdate(tx, end)])
}

/** Builds the statement that stores the chain's new end. */
export function buildEndUpdate(tx: Tx, end: Link) {
  return tx.updateTable('audit_chain').set(toEndColumns(end)).where('name', '=', chainName)
}

/** Builds the statement that stores the newest removed row, with its HMAC. */
export function buildAnchorUpdate(tx: Tx, key: ChainKey, anchor: Link) {
  return tx.updateTable('audit_chain').set(toAnchorColumns(key, anchor)).where('name', '=', chainName)
}

/** Returns the place of a row that follows `previous`. */
export function linkRow({ hmac }: ChainKey, previous: Link, content: AuditContent): Link {
  const number = previous.number + 1
  const { audit_id, at, request_id, actor, address, action, subject, detail } = content
  const parts = [previous.mac, number, audit_id, at, request_id, actor, address, action, subject, detail]
  return { number, mac: computeMac(hmac, parts) }
}

/** Whether the anchor is the one that a gateway stored. */
export function isAnchorAuthentic({ hmac }: ChainKey, chain: AuditChainRow): boolean {
  return computeAnchorSeal(hmac, readAnchor(chain)) === chain.anchor_seal
}

/** Returns the newest row that was removed because of its age. */
export function readAnchor({ anchor_number: number, anchor_mac: mac }: AuditChainRow): Link {
  return { number, mac }
}

const toEndColumns = ({ number, mac }: Link) => ({ number, mac })

function toAnchorColumns({ hmac }: ChainKey, anchor: Link) {
  return {
    anchor_number: anchor.number,
    anchor_mac: anchor.mac,
    anchor_seal: computeAnchorSeal(hmac, anchor),
  }
}

/** A row's parts are ten, so no row has the HMAC of an anchor. */
function computeAnchorSeal(hmac: KeyObject, { number, mac }: Link): string {
  return computeMac(hmac, ['anchor', number, mac])
}

function computeMac(key: KeyObject, parts: readonly (string | number | null)[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}
