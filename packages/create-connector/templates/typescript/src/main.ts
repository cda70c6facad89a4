import { createServer } from 'node:http'
import { erpServer, idleConnectionMs, prepareStop } from '@trade-gateway/connector'
import { findProblems } from './check-configuration.ts'
import { erp } from './erp.ts'
import { log } from './log.ts'

/** The settings, from the environment. */
const { UPSTREAM_TOKEN: token = '', HOST: host = '127.0.0.1', PORT: port = '18080' } = process.env
const wrongConfiguration = 78
const maxPort = 65_535

function findWrongSettings(): string[] {
  const problems: string[] = []
  if (token === '') problems.push('Set UPSTREAM_TOKEN to the token that the gateway will send.')
  if (!/^\d+$/.test(port) || Number(port) > maxPort)
    problems.push(`PORT must be a number from 0 to ${maxPort}, not "${port}".`)
  return problems
}

function start() {
  // The caller learns only that the call failed, so the reason must be here.
  const onFailure = (operation: string, error: unknown) =>
    log('operation failed', { operation, error: error instanceof Error ? error.stack : String(error) })
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, erpServer(erp, { token, onFailure }))
  const stop = prepareStop(server)
  server.once('error', (error) => {
    log('server failed', { error: error.message })
    process.exitCode = 1
  })
  server.listen(Number(port), host, () => {
    const address = server.address()
    const used = typeof address === 'object' && address !== null ? address.port : port
    log('listening', { url: `http://${host}:${used}` })
  })
  // Running calls end first. Timers and connections to the ERP would keep the process for longer.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop().then(() => process.exit()))
}

const problems = [...findWrongSettings(), ...(await findProblems())]
if (problems.length === 0) {
  start()
} else {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = wrongConfiguration
}
