import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from './ask.ts'
import { nodePath } from './gateway.ts'
import { probeFile } from './probe.ts'
import { freePort, type Running, serverCore, startPinned, whenReady } from './processes.ts'
import { pathOf } from './tools.ts'

/** What the gateway is compared with: a server that has nothing to do but to send the same bytes. */
export interface Reference {
  readonly process: Running
  readonly url: string
}

const constantFile = new URL('constant-tool.ts', import.meta.url).pathname
const bareFile = new URL('bare-node.ts', import.meta.url).pathname
const startTimeoutMs = 20_000

/** Bare `node:http` with the bytes in memory. */
export async function startBareNode(parent: string, body: Buffer): Promise<Reference> {
  const port = await freePort()
  const file = join(parent, `bare-${port}.json`)
  writeFileSync(file, body)
  const process = startPinned({
    name: 'bare node:http',
    core: serverCore,
    command: [nodePath(), bareFile, String(port), file],
    cwd: parent,
    log: join(parent, `bare-${port}.log`),
  })
  const url = `http://127.0.0.1:${port}/`
  await answers(process, url)
  return { process, url }
}

/** A tool that knows its answer, on the gateway's SDK of the Model Context Protocol. */
export async function startConstantTool(parent: string, result: unknown): Promise<Reference> {
  const port = await freePort()
  const file = join(parent, `constant-${port}.json`)
  writeFileSync(file, JSON.stringify(result))
  const process = startPinned({
    name: 'a constant tool',
    core: serverCore,
    command: [nodePath(), '--import', probeFile, constantFile, String(port), file],
    talks: true,
    cwd: parent,
    log: join(parent, `constant-${port}.log`),
  })
  const url = `http://127.0.0.1:${port}/`
  await whenReady(
    process,
    startTimeoutMs,
    async () => (await ask(url, { method: 'POST', body: '{}' })).status,
  )
  return { process, url }
}

/** nginx with one worker and the bytes in a file; `zipped` is what it answers to who accepts gzip. */
export async function startNginx(parent: string, body: Buffer, zipped?: Buffer): Promise<Reference> {
  const port = await freePort()
  const folder = join(parent, `nginx-${port}`)
  mkdirSync(join(folder, 'site'), { recursive: true })
  writeFileSync(join(folder, 'site', 'body.json'), body)
  if (zipped) writeFileSync(join(folder, 'site', 'body.json.gz'), zipped)
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port))
  const process = startPinned({
    name: 'nginx',
    core: serverCore,
    command: [
      pathOf('nginx'),
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
  await answers(process, url)
  return { process, url }
}

/** The whole server is one process, which can be pinned and whose CPU time is all that the answers cost. */
function configuration(folder: string, port: number): string {
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

async function answers(process: Running, url: string): Promise<void> {
  await whenReady(process, startTimeoutMs, async () => ((await ask(url)).status === 200 ? true : undefined))
}
