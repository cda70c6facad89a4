/** The faults of the trial. Each one hits a running installation and ends when what it hit runs again. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import { freezeTree, killTree, listChildren, signalProcess, thawTree } from '../process-tree.ts'
import type { SupervisedProcess } from '../supervised-process.ts'
import type { Installation } from './installation.ts'

/** What a fault hits, and with what. */
export interface Strike {
  readonly installation: Installation
  readonly random: Random
  /** How long SIGSTOP stops a process. */
  readonly stop_ms: number
  readonly signal: AbortSignal
  /** A process of `alone` that is never hit. */
  readonly spared?: SupervisedProcess
}

export interface Fault {
  readonly title: string
  /** Hits the installation. Resolves when what was hit runs again, or is started again by its supervisor. */
  strike(strike: Strike): Promise<void>
}

/** Every fault by its name. */
export const faults = {
  'process-kill': { title: 'SIGKILL of a gateway process', strike: killGateway },
  'process-stop': { title: 'SIGSTOP of a gateway process', strike: stopGateway },
  'supervisor-kill': {
    title: 'SIGKILL of the supervisor of two processes',
    strike: ({ installation }) => installation.restartSupervisor(),
  },
  'redis-kill': {
    title: 'SIGKILL of Redis, which starts empty',
    strike: ({ installation }) => restart(installation.redis.process),
  },
  'redis-stop': { title: 'SIGSTOP of Redis', strike: stopRedis },
  'postgres-kill': { title: 'SIGKILL of every process of PostgreSQL', strike: killPostgres },
  'postgres-stop': { title: 'SIGSTOP of every process of PostgreSQL', strike: stopPostgres },
  'receiver-kill': {
    title: 'SIGKILL of the receiver of webhooks',
    strike: ({ installation }) => restart(installation.receiver.process),
  },
  'erp-kill': {
    title: 'SIGKILL of the ERP',
    strike: ({ installation }) => restart(installation.erp.process),
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults

const isFaultName = (name: string): name is FaultName => name in faults
export const faultNames: readonly FaultName[] = Object.keys(faults).filter(isFaultName)

async function restart(process: SupervisedProcess): Promise<void> {
  await process.kill()
  await process.start()
}

/** Picks one of the four processes: one that was started alone, or the process id of one below the supervisor. */
function pickGateway({ installation, random, spared }: Strike): SupervisedProcess | number {
  const { supervisor, alone } = installation
  return random.pick([...alone.filter((each) => each !== spared), ...listChildren(supervisor.pid ?? 0)])
}

async function killGateway(strike: Strike): Promise<void> {
  const victim = pickGateway(strike)
  // The supervisor starts its process again.
  if (typeof victim === 'number') signalProcess(victim, 'SIGKILL')
  else await restart(victim)
}

async function stopGateway(strike: Strike): Promise<void> {
  const victim = pickGateway(strike)
  const pid = typeof victim === 'number' ? victim : (victim.pid ?? 0)
  await holdWhile(
    () => signalProcess(pid, 'SIGSTOP'),
    () => signalProcess(pid, 'SIGCONT'),
    strike,
  )
}

async function stopRedis(strike: Strike): Promise<void> {
  const { process } = strike.installation.redis
  await holdWhile(
    () => process.freeze(),
    () => process.thaw(),
    strike,
  )
}

async function killPostgres({ installation }: Strike): Promise<void> {
  killTree(installation.postgres.pid)
  await installation.postgres.restart()
}

async function stopPostgres(strike: Strike): Promise<void> {
  const { pid } = strike.installation.postgres
  await holdWhile(
    () => freezeTree(pid),
    () => thawTree(pid),
    strike,
  )
}

/** Freezes something for the time of the trial. Thaws it even if the trial is stopped. */
async function holdWhile(
  freeze: () => unknown,
  thaw: () => unknown,
  { stop_ms, signal }: Strike,
): Promise<void> {
  freeze()
  try {
    await wait(stop_ms, undefined, { signal })
  } finally {
    thaw()
  }
}
