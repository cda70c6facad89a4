import type { RunningGateway } from '../running-gateway.ts'
import { type Sample, type Shown, samplesOf, withOutputs } from './page.ts'
import { Session } from './session.ts'
import { differenceOf } from './settled.ts'
import { shownOf } from './shown.ts'

/** What came of a page. */
export interface Outcome {
  readonly ran: number
  /** Each names the line; empty where the page is true. */
  readonly problems: readonly string[]
  /** The page as it is to be written; the same where nothing was captured. */
  readonly source: string
}

/** Who is called, and as whom. */
export type Subject = Pick<
  RunningGateway,
  'base_url' | 'client_id' | 'client_secret' | 'username' | 'password' | 'admin_token' | 'ended'
>

/**
 * Runs the samples of a page in order against a gateway of its own. Without `isCapturing` what a sample prints must
 * be what the page shows; with it, the page is made to show that. The first sample that fails ends the page.
 */
export async function runPage(
  source: string,
  gateway: Subject,
  directory: string,
  isCapturing: boolean,
): Promise<Outcome> {
  const session = new Session(directory, variablesOf(gateway))
  const outputs = new Map<number, Shown>()
  const problems: string[] = []
  let ran = 0
  try {
    for (const [index, sample] of samplesOf(source).entries()) {
      const line = sample.fence.firstLine + 1
      const { problem, shown } = await tried(session, sample, gateway.base_url, isCapturing)
      ran += 1
      if (shown) outputs.set(index, shown)
      if (problem === undefined) continue
      problems.push(`line ${line}: ${problem}`)
      break
    }
  } finally {
    await session.close()
  }
  return { ran, problems, source: withOutputs(source, outputs) }
}

/** Runs a sample: what is wrong with it, or, when capturing, what the page is to show. */
async function tried(session: Session, sample: Sample, address: string, isCapturing: boolean) {
  try {
    const { printed, status } = await session.run(sample.fence.language, sample.fence.text)
    if (status !== 0) return { problem: `it ended with ${status}:\n${printed}` }
    const shown = shownOf(printed, address)
    const difference = differenceOf(sample.output?.text ?? '', shown.text)
    if (difference === undefined) return {}
    return isCapturing ? { shown } : { problem: difference }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function variablesOf(gateway: Subject) {
  return {
    BASE: gateway.base_url,
    CLIENT_ID: gateway.client_id,
    CLIENT_SECRET: gateway.client_secret,
    OMS_USERNAME: gateway.username,
    OMS_PASSWORD: gateway.password,
    ADMIN_TOKEN: gateway.admin_token,
  }
}
