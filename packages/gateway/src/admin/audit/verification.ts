import type { Link } from '../../audit/chain.ts'
import { listNotedHeads } from '../../audit/head.ts'
import { type AuditProblem, verifyAudit } from '../../audit/verify.ts'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'

/** The largest number of rows that one call verifies, so that it ends within a few seconds. */
export const maxVerifiedRows = 50_000

interface VerificationRequest {
  readonly cursor?: string | undefined
  /** An end of the audit log that the operator has from a log line. */
  readonly noted?: Link | undefined
}

export interface VerificationPart {
  readonly ok: boolean
  readonly rows: number
  readonly first_problem: AuditProblem | null
  readonly next_cursor: string | null
}

/** Verifies a part of the audit log, against the ends that were noted outside the database. */
export async function verifyAuditPart(
  gateway: Gateway,
  { cursor, noted }: VerificationRequest,
): Promise<VerificationPart> {
  const at = formatInstant(gateway.clock.now())
  const { ok, rows, first_problem, next } = await verifyAudit(gateway, {
    noted: [...listNotedHeads(gateway), ...(noted ? [{ ...noted, at }] : [])],
    after: cursor === undefined ? undefined : parseLink(cursor),
    maxRows: maxVerifiedRows,
  })
  return { ok, rows, first_problem, next_cursor: next ? toLinkCursor(next) : null }
}

function toLinkCursor({ number, mac }: Link): string {
  return Buffer.from(`${number} ${mac}`).toString('base64url')
}

function parseLink(cursor: string): Link {
  const [, number, mac] = /^(\d{1,15}) ([\w-]{43})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (number !== undefined && mac !== undefined) return { number: Number(number), mac }
  throw new GatewayError('VALIDATION_FAILED', { param: 'cursor', reason: 'invalid_field' })
}
