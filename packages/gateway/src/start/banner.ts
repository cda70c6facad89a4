import type { Settings } from './settings.ts'

interface Banner {
  readonly baseUrl: string
  /** How reliably an order reaches the ERP exactly once. */
  readonly guarantee: string
  /** Whether the stock of every warehouse has been read. */
  readonly isFilled: boolean
}

interface SandboxBanner {
  readonly baseUrl: string
  readonly settings: Settings
  /** The number of simulated stock changes per minute. */
  readonly activity: number
  /** How reliably an order reaches the ERP exactly once. */
  readonly guarantee: string
}

/** Formats the text for a first-time user: URL, credentials, and four commands that work as printed. */
export function formatSandboxBanner({ baseUrl, settings, activity, guarantee }: SandboxBanner): string {
  const { SANDBOX_USERNAME: username, SANDBOX_PASSWORD: password } = settings
  const credentials = JSON.stringify({ grant_type: 'password', username, password })
  return `
Trade Gateway is ready at ${baseUrl}

  sandbox account   ${username}  ${password}
  sandbox channel   client_id ${settings.SANDBOX_CLIENT_ID}  client_secret ${settings.SANDBOX_CLIENT_SECRET}
  admin token       ${settings.ADMIN_TOKEN || 'none: the console is disabled'}
  console           ${baseUrl}/admin
  orders            ${guarantee}
  stock             ${describeActivity(activity)}

Try it (copy all four lines):

TOKEN=$(curl -s ${baseUrl}/api/v1/auth/token -H 'Content-Type: application/json' -d '${credentials}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s ${baseUrl}/api/v1/me -H "Authorization: Bearer $TOKEN"; echo
curl -s ${baseUrl}/api/v1/warehouses -H "Authorization: Bearer $TOKEN"; echo
curl -s "${baseUrl}/api/v1/warehouses/AUSYD1/stock?page=1&page_size=2" -H "Authorization: Bearer $TOKEN"; echo

`
}

function describeActivity(activity: number): string {
  if (activity === 0) return 'changes only by orders'
  return `about ${activity} simulated changes a minute; SANDBOX_ACTIVITY=0 turns them off`
}

/** Formats the banner of a gateway that is connected to an ERP other than the sandbox. */
export function formatBanner({ baseUrl, guarantee, isFilled }: Banner): string {
  const exception = isFilled ? '' : ', except for stock that the ERP has not sent yet: see GET /readyz'
  return `Trade Gateway is ready at ${baseUrl}${exception}
Orders: ${guarantee}
Clients can sign in once you have created a channel for a customer of the ERP: see docs/en/operate.md, “Channels”.
`
}
