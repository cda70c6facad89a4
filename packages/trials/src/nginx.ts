/** nginx in front of the gateways of a trial, with the configuration that an installation uses (`deploy/nginx`). */
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ProcessFailed, StartedProcess } from './child-process.ts'
import { findFreePort } from './free-ports.ts'

const configuration = join(import.meta.dirname, '../../../deploy/nginx')
const startTimeoutMs = 20_000
const pollMs = 50

/** Returns the path of nginx; undefined if it is not installed. Debian installs it where only root's PATH looks. */
export function findNginx(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path))
}

export interface Nginx {
  readonly url: string
  readonly process: StartedProcess
}

/** Starts nginx in an empty folder, in front of the servers at `targets`. Throws `ProcessFailed`. */
export async function startNginx(folder: string, targets: readonly string[]): Promise<Nginx> {
  const command = findNginx()
  if (command === undefined) throw new ProcessFailed('nginx is not installed.')
  const port = await findFreePort()
  await mkdir(folder)
  const text = await readFile(join(configuration, 'nginx.conf'), 'utf8')
  // Several trials may run at the same time, so each has its own temporary files. Node's pipes are sockets, which
  // nginx cannot open by a path.
  const own = text.replaceAll('/tmp/', `${folder}/`).replace('/dev/stderr', 'stderr')
  await writeFile(join(folder, 'nginx.conf'), own)
  await writeFile(join(folder, 'listen.conf'), `listen 127.0.0.1:${port};\n`)
  await copyFile(join(configuration, 'operators.conf'), join(folder, 'operators.conf'))
  const template =
    (await readFile(join(configuration, 'upstream.conf'), 'utf8')).match(/^server .*$/m)?.[0] ?? ''
  const servers = targets.map((target) => template.replace(/(?<=^server )\S+/, new URL(target).host))
  await writeFile(join(folder, 'upstream.conf'), `${servers.join('\n')}\n`)
  const child = new StartedProcess({
    name: 'nginx',
    command,
    args: ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'],
    env: {},
  })
  const url = `http://127.0.0.1:${port}`
  try {
    await waitUntilServing(url, child)
    return { url, process: child }
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** nginx prints nothing when it is ready. */
async function waitUntilServing(url: string, child: StartedProcess): Promise<void> {
  for (let waited = 0; waited < startTimeoutMs; waited += pollMs) {
    child.ended.throwIfAborted()
    const isServing = await fetch(`${url}/livez`).then(
      () => true,
      () => false,
    )
    if (isServing) return
    await wait(pollMs)
  }
  throw new ProcessFailed(
    `nginx was not ready after ${startTimeoutMs / 1000} seconds:\n${child.readOutput()}`,
  )
}
