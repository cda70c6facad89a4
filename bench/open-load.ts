import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from './statistics.ts'

/** A request that arrives whether or not earlier ones have a response. */
export interface Arrival {
  readonly url: string
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The figures of a phase of arrivals at a fixed rate. */
export interface OpenLoad {
  /** Arrivals that this process sent in a second. Below the intended rate, the generator was the limit. */
  readonly offeredPerSecond: number
  /** Responses with a status below 300 in a second, each within `maxUsefulMs`. */
  readonly goodPerSecond: number
  /** Refusals with status 503 in a second. */
  readonly shedPerSecond: number
  /** Other failures, and responses that came too late. */
  readonly lost: number
  /** Latencies of the good responses. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** The part of the arrivals of each second that got a good response. */
  readonly goodShares: readonly number[]
}

/** After this time a response is of no use: the client has given up. */
export const maxUsefulMs = 5_000
const requestTimeoutMs = 20_000
const tickMs = 1

interface Outcome {
  readonly sentAt: number
  readonly ms: number
  readonly status: number
}

/** Sends `perSecond` requests a second for some seconds, and waits for their responses. */
export async function runOpenLoad(
  perSecond: number,
  seconds: number,
  create: (at: number) => Arrival,
): Promise<OpenLoad> {
  const agent = new Agent({ keepAlive: true })
  const began = performance.now()
  const calls: Promise<Outcome>[] = []
  const count = Math.round(perSecond * seconds)
  while (calls.length < count) {
    const now = performance.now() - began
    const due = Math.min(count, Math.floor((now * perSecond) / 1000) + 1)
    while (calls.length < due) calls.push(send(agent, began, create(calls.length)))
    await pause(tickMs)
  }
  const sendingMs = performance.now() - began
  const outcomes = await Promise.all(calls)
  agent.destroy()
  return summarize(outcomes, sendingMs)
}

function summarize(outcomes: readonly Outcome[], sendingMs: number): OpenLoad {
  const isGood = ({ status, ms }: Outcome) => status >= 200 && status < 300 && ms <= maxUsefulMs
  const good = outcomes.filter(isGood)
  const shed = outcomes.filter(({ status }) => status === 503)
  const times = good.map(({ ms }) => ms)
  const seconds = sendingMs / 1000
  const goodShares = Array.from({ length: Math.floor(seconds) }, (_, at) => {
    const sent = outcomes.filter(({ sentAt }) => Math.floor(sentAt / 1000) === at)
    return sent.filter(isGood).length / Math.max(1, sent.length)
  })
  return {
    offeredPerSecond: outcomes.length / seconds,
    goodPerSecond: good.length / seconds,
    shedPerSecond: shed.length / seconds,
    lost: outcomes.length - good.length - shed.length,
    p50Ms: times.length > 0 ? quantile(times, 0.5) : Number.NaN,
    p99Ms: times.length > 0 ? quantile(times, 0.99) : Number.NaN,
    goodShares,
  }
}

/** Sends one request and discards the body. Resolves with status 0 if no complete response arrives. */
function send(agent: Agent, began: number, { url, method, headers, body }: Arrival): Promise<Outcome> {
  const sentAt = performance.now() - began
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const end = (status: number) => resolve({ sentAt, ms: performance.now() - began - sentAt, status })
  const outgoing = request(
    url,
    { method: method ?? 'GET', headers: { ...headers }, agent, timeout: requestTimeoutMs },
    (response) => {
      response.once('end', () => end(response.statusCode ?? 0))
      response.once('error', () => end(0))
      response.resume()
    },
  )
  outgoing.once('timeout', () => outgoing.destroy())
  outgoing.once('error', () => end(0))
  outgoing.end(body)
  return promise
}
