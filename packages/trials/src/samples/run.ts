import type { RunningGateway } from '../running-gateway.ts'
import { formatOutput } from './format-output.ts'
import { describeDifference } from './normalize-output.ts'
import { type FormattedOutput, readSamples, replaceOutputs, type Sample } from './page.ts'
import { Session } from './session.ts'

/** The result of running a page. */
export interface PageOutcome {
  readonly ran: number
  /** The problems, each with its line; empty if the outputs match. */
  readonly problems: readonly string[]
  /** The page with captured outputs; unchanged without capturing. */
  readonly source: string
}

/** The gateway that the samples call, and the credentials that they use. */
export type SampleTarget = Pick<
  RunningGateway,
  'base_url' | 'client_id' | 'client_secret' | 'username' | 'password' | 'admin_token' | 'ended'
>

/**
 * Runs the samples of a page in order against their own gateway. Without `isCapturing` the output of a sample must
 * match the page; with it, the page is updated. The first failing sample ends the page.
 */
export async function runPage(
  source: string,
  gateway: SampleTarget,
  { directory, isCapturing }: { readonly directory: string; readonly isCapturing: boolean },
): Promise<PageOutcome> {
  const session = new Session(directory, listVariables(gateway))
  const outputs = new Map<number, FormattedOutput>()
  const problems: string[] = []
  let ran = 0
  try {
    for (const [index, sample] of readSamples(source).entries()) {
      const line = sample.fence.firstLine + 1
      const { problem, shown } = await runSample(session, sample, { address: gateway.base_url, isCapturing })
      ran += 1
      if (shown) outputs.set(index, shown)
      if (problem === undefined) continue
      problems.push(`line ${line}: ${problem}`)
      break
    }
  } finally {
    await session.close()
  }
  return { ran, problems, source: replaceOutputs(source, outputs) }
}

/** Runs a sample. Returns its problem or, when capturing, the output for the page; neither if the page is right. */
async function runSample(
  session: Session,
  sample: Sample,
  { address, isCapturing }: { readonly address: string; readonly isCapturing: boolean },
) {
  try {
    const { printed, status } = await session.run(sample.fence.language, sample.fence.text)
    if (status !== 0) return { problem: `it ended with ${status}:\n${printed}` }
    const shown = formatOutput(printed, address)
    const difference = describeDifference(sample.output?.text ?? '', shown.text)
    if (difference === undefined) return {}
    return isCapturing ? { shown } : { problem: difference }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function listVariables(gateway: SampleTarget) {
  return {
    BASE: gateway.base_url,
    CLIENT_ID: gateway.client_id,
    CLIENT_SECRET: gateway.client_secret,
    OMS_USERNAME: gateway.username,
    OMS_PASSWORD: gateway.password,
    ADMIN_TOKEN: gateway.admin_token,
    // The samples must not write into the keychain of whoever runs them.
    TGW_KEYCHAIN: 'off',
  }
}
