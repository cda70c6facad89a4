import { command } from '../command.ts'
import { findIdentity } from '../connect.ts'
import { say } from '../context.ts'
import { UsageError } from '../failures.ts'
import { nearest } from '../nearest.ts'

const name = 'trade-gateway'
/** Not TGW_TOKEN: with that one set, every later command of tgw would send this token, also when it has expired. */
const tokenVariable = 'TRADE_GATEWAY_TOKEN'

/** What each agent wants to be told. No output has a token: it would end in a file or in the history of a shell. */
const clients: Readonly<Record<string, (url: string) => string | object>> = {
  'claude-code': (url) =>
    `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer $(tgw token)"`,
  vscode: (url) => ({
    inputs: [{ type: 'promptString', id: 'tgw_token', description: 'tgw token', password: true }],
    servers: { [name]: { type: 'http', url, headers: { Authorization: `Bearer \${input:tgw_token}` } } },
  }),
  cursor: (url) => ({
    mcpServers: { [name]: { url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } } },
  }),
  inspector: (url) =>
    `npx @modelcontextprotocol/inspector --transport http --server-url ${url} --header "Authorization: Bearer $(tgw token)"`,
  json: (url) => ({
    mcpServers: { [name]: { type: 'http', url, headers: { Authorization: `Bearer \${${tokenVariable}}` } } },
  }),
}

export const mcpConfig = command({
  name: 'mcp config',
  summary: 'print how an agent connects to the gateway over MCP',
  isReading: true,
  description: 'A token lives for an hour. An agent has exactly the rights of its token.',
  examples: [
    ['mcp config claude-code', 'a command to run'],
    ['mcp config cursor > .cursor/mcp.json', 'a file'],
  ],
  args: { client: { help: `${Object.keys(clients).join(', ')}; default json`, isOptional: true } },
  async run(context, { args }) {
    const { client = 'json' } = args
    const format = Object.hasOwn(clients, client) ? clients[client] : undefined
    if (!format) {
      const similar = nearest(client, Object.keys(clients))
      throw new UsageError(
        `There is no agent "${client}".${similar ? ` Did you mean "${similar}"?` : ''}`,
        `Agents: ${Object.keys(clients).join(', ')}.`,
      )
    }
    const { baseUrl } = await findIdentity(context)
    const config = format(`${baseUrl.replace(/\/+$/, '')}/mcp`)
    const { globals, out } = context
    if (globals.json) await out.json(typeof config === 'string' ? { command: config } : config)
    else await out.line(typeof config === 'string' ? config : JSON.stringify(config, null, 2))
    if (client === 'cursor' || client === 'json')
      await say(
        context,
        `Set ${tokenVariable} before you start the agent: export ${tokenVariable}=$(tgw token)`,
      )
  },
})
