import type { Settings } from './settings.ts'

/** What a newcomer reads: where it is, who may sign in, and four lines that work as they stand. */
export function sandboxBanner(baseUrl: string, settings: Settings, activity: number, orders: string): string {
  const { SANDBOX_USERNAME: username, SANDBOX_PASSWORD: password } = settings
  const credentials = JSON.stringify({ grant_type: 'password', username, password })
  return `
Trade Gateway is ready at ${baseUrl}

  sandbox account   ${username}  ${password}
  sandbox channel   client_id ${settings.SANDBOX_CLIENT_ID}  client_secret ${settings.SANDBOX_CLIENT_SECRET}
  admin token       ${settings.ADMIN_TOKEN || 'none: the console is disabled'}
  orders            ${orders}
  stock             ${activity === 0 ? 'stands still' : `about ${activity} changes a minute are made up; SANDBOX_ACTIVITY=0 keeps the figures still`}

Try it (copy all four lines):

TOKEN=$(curl -s ${baseUrl}/api/v1/auth/token -H 'Content-Type: application/json' -d '${credentials}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s ${baseUrl}/api/v1/me -H "Authorization: Bearer $TOKEN"; echo
curl -s ${baseUrl}/api/v1/warehouses -H "Authorization: Bearer $TOKEN"; echo
curl -s "${baseUrl}/api/v1/warehouses/AUSYD1/stock?page=1&page_size=2" -H "Authorization: Bearer $TOKEN"; echo

`
}

export function plainBanner(baseUrl: string, orders: string): string {
  return `Trade Gateway is ready at ${baseUrl}
Orders: ${orders}
Nobody can sign in before a channel exists for the ERP’s customer: README.md, “The operator’s side”.
`
}
