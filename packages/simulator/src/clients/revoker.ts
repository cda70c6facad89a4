import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { GatewayClient } from './gateway-client.ts'

interface RevokerParts {
  readonly client: GatewayClient
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly rounds: number
  isOver(): boolean
  complain(sentence: string): void
  /** Whether a process has stood still since a time of the world: it cannot hear of a revocation meanwhile. */
  hasPausedSince(elapsedMs: number): boolean
}

/** The time after which no process accepts a revoked token any more. */
const graceMs = 1_000
const uses = 4
const maxPauseMs = 200
const me = { method: 'GET', path: '/api/v1/me' } as const

/** Uses tokens, revokes them, and then tries whether a process still accepts them. */
export async function revokeTokens(parts: RevokerParts): Promise<void> {
  const { client, scheduler, random, rounds, isOver } = parts
  for (let round = 0; round < rounds && !isOver(); round++) {
    const token = await client.signIn()
    if (token === undefined) continue
    for (let use = 0; use < uses; use++) await client.send(me, token)
    const revoked = await client.send({ method: 'POST', path: '/api/v1/auth/revoke' }, token)
    if (revoked?.status === 200) await expectRefusal(parts, token)
    await scheduler.sleep(random.integer(20, maxPauseMs))
  }
}

async function expectRefusal({ client, scheduler, hasPausedSince, complain }: RevokerParts, token: string) {
  const revokedAt = scheduler.elapsedMs
  await scheduler.sleep(graceMs)
  for (let use = 0; use < uses; use++) {
    const reply = await client.send(me, token)
    if (reply?.status !== 200 || hasPausedSince(revokedAt)) continue
    complain(`${client.name} revoked a token, and a process still accepts it ${graceMs} ms later.`)
    return
  }
}
