import { findingKinds } from '../order-replay/finding.ts'

/** Every kind of finding with its meaning: those of a replay, and those of events and processes. */
export const killFindingKinds = {
  ...findingKinds,
  undelivered: 'an event never reached the receiver',
  forged: 'a delivery had a wrong signature',
  untrue: 'an event was sent for an order that was not placed, or none or two for one that was',
  stuck: 'nothing was served for too long after a fault',
  crashed: 'a process ended by itself',
  grew: 'the memory of the gateway that was spared grew',
  slowed: 'the reads of the gateway that was spared became slower',
} as const

export type KillFindingKind = keyof typeof killFindingKinds

/** An inconsistency that the trial found. */
export interface KillFinding {
  readonly kind: KillFindingKind
  readonly subject: string
  readonly story: string
}
