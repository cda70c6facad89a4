/** The ERP's response to a control. */
export interface ControlResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export type SandboxControl = (control: string, input: object) => Promise<ControlResponse>

const timeoutMs = 15_000

/** Creates the controls of a sandbox ERP at a URL. */
export function createSandboxControl(url: string, token: string): SandboxControl {
  return async (control, input) => {
    const response = await fetch(`${url.replace(/\/$/, '')}/sandbox/${control}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: Object(await response.json()) }
  }
}
