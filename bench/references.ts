import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../packages/trials/src/free-ports.ts'
import { getNodePath } from './gateway.ts'
import { probeFile } from './probe.ts'
import { type RunningProcess, serverCore, startPinned, waitUntilReady } from './processes.ts'
import { sendRequest } from './send-request.ts'
import { requireProgram } from './tools.ts'

/** A baseline for the gateway: a server that only sends the same bytes. */
export interface Reference {
  readonly process: RunningProcess
  readonly url: string
}

const constantFile = new URL('constant-tool.ts', import.meta.url).pathname
const bareFile = new URL('bare-node.ts', import.meta.url).pathname
const startTimeoutMs = 20_000

/** Starts bare `node:http`, with the bytes in memory. */
export async function startBareNode(parent: string, body: Buffer): Promise<Reference> {
  const port = await findFreePort()
  const file = join(parent, `bare-${port}.json`)
  writeFileSync(file, body)
  const process = startPinned({
    name: 'bare node:http',
    core: serverCore,
    command: [getNodePath(), bareFile, String(port), file],
    cwd: parent,
    log: join(parent, `bare-${port}.log`),
  })
  const url = `http://127.0.0.1:${port}/`
  await waitForResponse(process, url)
  return { process, url }
}

/** Starts an MCP server on the gateway's SDK whose tool always returns `result`. */
export async function startConstantTool(parent: string, result: unknown): Promise<Reference> {
  const port = await findFreePort()
  const file = join(parent, `constant-${port}.json`)
  writeFileSync(file, JSON.stringify(result))
  const process = startPinned({
    name: 'a constant tool',
    core: serverCore,
    command: [getNodePath(), '--import', probeFile, constantFile, String(port), file],
    hasIpcChannel: true,
    cwd: parent,
    log: join(parent, `constant-${port}.log`),
  })
  const url = `http://127.0.0.1:${port}/`
  await waitUntilReady(
    process,
    startTimeoutMs,
    async () => (await sendRequest(url, { method: 'POST', body: '{}' })).status,
  )
  return { process, url }
}

/** Starts nginx with one worker and the bytes in a file. Clients that accept gzip get `zipped`. */
export async function startNginx(parent: string, body: Buffer, zipped?: Buffer): Promise<Reference> {
  const port = await findFreePort()
  const folder = join(parent, `nginx-${port}`)
  mkdirSync(join(folder, 'site'), { recursive: true })
  writeFileSync(join(folder, 'site', 'body.json'), body)
  if (zipped) writeFileSync(join(folder, 'site', 'body.json.gz'), zipped)
  writeFileSync(join(folder, 'nginx.conf'), formatNginxConfig(folder, port))
  const process = startPinned({
    name: 'nginx',
    core: serverCore,
    command: [
      requireProgram('nginx'),
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      join(folder, 'errors.log'),
    ],
    cwd: folder,
    log: join(folder, 'errors.log'),
  })
  const url = `http://127.0.0.1:${port}/body.json`
  await waitForResponse(process, url)
  return { process, url }
}

/**
 * Formats the configuration of nginx. With `master_process off`, nginx is one process, which can be pinned to a core
 * and uses all of nginx's CPU time.
 */
function formatNginxConfig(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 512; }
http {
  access_log off;
  default_type "application/json; charset=utf-8";
  sendfile on;
  tcp_nopush on;
  open_file_cache max=16 inactive=1h;
  open_file_cache_valid 1h;
  keepalive_timeout 65s;
  keepalive_requests 1000000000;
  gzip_static on;
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  server { listen 127.0.0.1:${port}; root ${join(folder, 'site')}; }
}
`
}

async function waitForResponse(process: RunningProcess, url: string): Promise<void> {
  await waitUntilReady(process, startTimeoutMs, async () =>
    (await sendRequest(url)).status === 200 ? true : undefined,
  )
}
