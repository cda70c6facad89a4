/** Connects to a server or a cluster with the official client, which is loaded only if `VALKEY_URL` is set. */

import type { RedisClientOptions } from '@redis/client'

/** A connection that is ready. */
export interface ValkeyClient {
  /** Whether the server is a cluster, whose scripts may only use keys of one slot. */
  readonly isCluster: boolean
  /** The URLs of a cluster's nodes, with the same credentials; empty for a single server. */
  listNodes(): string[]
  /** Sends a command to the server that has `key`. Commands of one turn of the event loop are sent together. */
  send(key: string, command: readonly string[]): Promise<unknown>
  /** Ends the connection at once. Open commands are rejected. */
  destroy(): void
}

interface Opening {
  readonly url: string
  /** Called when the connection is lost. */
  readonly onError: (error: unknown) => void
  /** Aborts the opening. */
  readonly signal: AbortSignal
}

/** Loads the client library. */
export function loadClient() {
  return import('@redis/client')
}

/** Opens a connection. If the server belongs to a cluster, connects to the whole cluster. */
export async function openClient({ url, onError, signal }: Opening): Promise<ValkeyClient> {
  const { createClient, createCluster } = await loadClient()
  const single = createClient({ ...createOptions(), url })
  single.on('error', onError)
  const destroySingle = () => destroyQuietly(single)
  signal.addEventListener('abort', destroySingle, { once: true })
  try {
    await raceAbort(single.connect(), signal)
    if (!isClusterMode(await raceAbort(single.sendCommand(['HELLO']), signal))) {
      return {
        isCluster: false,
        listNodes: () => [],
        send: (_key, command) => single.sendCommand([...command]),
        destroy: destroySingle,
      }
    }
  } catch (error) {
    destroySingle()
    throw error
  } finally {
    signal.removeEventListener('abort', destroySingle)
  }
  destroySingle()
  const cluster = createCluster({ rootNodes: [{ ...createOptions(), url }], defaults: toNodeDefaults(url) })
  cluster.on('error', onError)
  cluster.on('node-error', onError)
  const destroyCluster = () => destroyQuietly(cluster)
  try {
    await raceAbort(cluster.connect(), signal)
  } catch (error) {
    destroyCluster()
    throw error
  }
  return {
    isCluster: true,
    listNodes: () => [...cluster.masters, ...cluster.replicas].map((node) => toNodeUrl(url, node)),
    send: (key, command) => cluster.sendCommand(key, false, [...command]),
    destroy: destroyCluster,
  }
}

/**
 * The options of a connection. A lost connection is not repaired by the client but by `Valkey`, which decides locally in
 * the meantime. The client writes into what it is given, so that each connection has options of its own.
 */
function createOptions() {
  return {
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false },
  } as const satisfies RedisClientOptions
}

/** The options of the connections to the nodes of a cluster, which the client finds by itself. */
function toNodeDefaults(text: string) {
  const url = new URL(text)
  const socket = { reconnectStrategy: false } as const
  return {
    ...createOptions(),
    socket: url.protocol === 'rediss:' ? { ...socket, tls: true as const } : socket,
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  }
}

/** Returns the URL of a node: that of the first one, with another host and port. */
function toNodeUrl(text: string, { host, port }: { readonly host: string; readonly port: number }): string {
  const url = new URL(text)
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(port)
  return url.href
}

/** Whether the response to `HELLO` names the mode `cluster`. Its form depends on the protocol's version. */
function isClusterMode(hello: unknown): boolean {
  if (Array.isArray(hello)) return hello[hello.indexOf('mode') + 1] === 'cluster'
  if (hello instanceof Map) return hello.get('mode') === 'cluster'
  const { mode }: { mode?: unknown } = Object(hello)
  return mode === 'cluster'
}

function destroyQuietly(client: { destroy(): void }) {
  try {
    client.destroy()
  } catch {
    // The client was closed already.
  }
}

/** Waits for `work` until the signal is aborted. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    aborted.promise.catch(() => {})
    work.catch(() => {})
  }
}
