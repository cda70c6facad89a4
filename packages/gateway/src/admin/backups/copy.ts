import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GatewayError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import { formatInstant } from '../../kernel/clock.ts'
import { CopyFailed } from '../../store/file-copier.ts'

/** The names that `copyDatabase` gives. An operator may keep backups of any other name in the same folder. */
const namePattern = /^backup-bak_[0-9a-z]{26}\.db(?:-log-\d+)?$/
const retrySeconds = 10

/**
 * Copies the embedded database into a new file of `DATA_DIR`, in place of a copy that nobody has taken away. Throws
 * `VALIDATION_FAILED` on PostgreSQL, and `INTERNAL` with 503 if the copy was given up.
 */
export async function copyDatabase({ store, config, clock, ids }: Gateway) {
  const { copyInto } = store
  if (!copyInto)
    throw new GatewayError('VALIDATION_FAILED', { reason: 'invalid_state', say: ['backup_elsewhere'] })
  const taken_at = formatInstant(clock.now())
  const file = `backup-${ids.next('bak')}.db`
  try {
    // Begins to copy first: of two calls, the second one is refused, and removes nothing.
    const [copied] = await Promise.all([
      copyInto(join(config.dataDir, file)),
      removeOtherCopies(config.dataDir, file),
    ])
    return { file, taken_at, ...copied }
  } catch (error) {
    if (!(error instanceof CopyFailed)) throw error
    throw new GatewayError('INTERNAL', {
      status: 503,
      retryAfter: retrySeconds,
      say: ['backup_failed', { reason: error.message }],
      cause: error,
    })
  }
}

async function removeOtherCopies(folder: string, kept: string): Promise<void> {
  for (const name of await readdir(folder))
    if (namePattern.test(name) && !name.startsWith(kept)) await rm(join(folder, name), { force: true })
}
