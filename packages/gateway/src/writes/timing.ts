import { maxWaitToSendMs } from '../upstream/guarded.ts'

/** The longest time that the ERP may take for one write. */
export const writeTimeoutMs = 30_000
/**
 * The longest time from the start of a write, before its intent is committed, to the call of the ERP's client. After
 * that the process no longer calls, because another process may have undone the write.
 */
export const maxIdleBeforeSendMs = 1_000
/** The time after which the connector's client gives up a connection attempt. */
const connectTimeoutMs = 3_000
/** The longest time between the commit of an intent and the moment at which its request leaves this process. */
export const maxSendDelayMs = maxIdleBeforeSendMs + maxWaitToSendMs + connectTimeoutMs
