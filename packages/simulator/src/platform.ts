/**
 * Replaces what a process gets from its machine: timers, clocks, randomness, and the cryptography that Node would run in
 * other threads. So no code has to know that it is simulated, and none can forget to ask. It is called before the
 * gateway's modules are loaded. While no machine is in use, everything is real.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  KeyObject,
  sign,
  verify,
  type webcrypto,
} from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'

/** The machine on which the running code believes to run. */
export interface Machine {
  /** Epoch milliseconds by the clock of the running process. */
  now(): number
  monotonic(): number
  setTimer(act: () => void, ms: number): { readonly cancel: () => void; readonly refresh: () => void }
  bytes(count: number): Buffer
  fraction(): number
}

let machine: Machine | undefined

/** Lets all code run on a machine; undefined is the real one. */
export function useMachine(next: Machine | undefined): void {
  machine = next
}

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  clearImmediate: globalThis.clearImmediate,
}

/** Resolves once everything that is ready to run in this process has run, and nothing but a timer is left. */
export function drainRealLoop(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve))
}

/** Node's timer, as far as the gateway uses it. */
class VirtualTimer {
  #timer: ReturnType<Machine['setTimer']> | undefined
  readonly #act: () => void
  readonly #everyMs: number | undefined

  constructor(act: () => void, ms: number, isRepeated: boolean) {
    this.#act = act
    this.#everyMs = isRepeated ? Math.max(1, ms) : undefined
    this.#begin(ms)
  }

  #begin(ms: number) {
    this.#timer = machine?.setTimer(() => {
      if (this.#everyMs !== undefined) this.#begin(this.#everyMs)
      this.#act()
    }, ms)
  }

  cancel() {
    this.#timer?.cancel()
  }

  refresh() {
    this.#timer?.refresh()
    return this
  }

  unref() {
    return this
  }

  ref() {
    return this
  }

  hasRef() {
    return true
  }

  [Symbol.dispose]() {
    this.cancel()
  }
}

type Act = (...values: unknown[]) => void

const startTimer =
  (isRepeated: boolean, startReal: (act: Act, ms?: number, ...values: unknown[]) => unknown) =>
  (act: Act, ms = 0, ...values: unknown[]) =>
    machine
      ? new VirtualTimer(() => act(...values), Number.isFinite(ms) ? ms : 1, isRepeated)
      : startReal(act, ms, ...values)

const stopTimer = (stopReal: (timer: never) => void) => (timer: unknown) => {
  if (timer instanceof VirtualTimer) timer.cancel()
  else stopReal(timer as never)
}

/** Replaces the machine. Called once, before the gateway's modules are loaded. */
export function replacePlatform(): void {
  replaceTimers()
  replaceClocks()
  replaceRandomness()
  replaceSigning()
  syncBuiltinESMExports()
}

function replaceTimers() {
  const setTimeout = startTimer(false, real.setTimeout)
  const setImmediate = (act: Act, ...values: unknown[]) =>
    machine ? new VirtualTimer(() => act(...values), 0, false) : real.setImmediate(act, ...values)
  Object.assign(globalThis, {
    setTimeout,
    setImmediate,
    setInterval: startTimer(true, real.setInterval),
    clearTimeout: stopTimer(real.clearTimeout),
    clearInterval: stopTimer(real.clearInterval),
    clearImmediate: stopTimer(real.clearImmediate),
  })
  const later = (value?: unknown) => new Promise((resolve) => setImmediate(() => resolve(value)))
  const after = (ms?: number, value?: unknown) =>
    new Promise((resolve) => setTimeout(() => resolve(value), ms))
  Object.assign(builtin('node:timers/promises'), { setImmediate: later, setTimeout: after })
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException(`${ms} ms are over.`, 'TimeoutError')), ms)
    return controller.signal
  }
}

function replaceClocks() {
  const [now, monotonic] = [Date.now, performance.now.bind(performance)]
  Date.now = () => machine?.now() ?? now()
  performance.now = () => machine?.monotonic() ?? monotonic()
}

function replaceRandomness() {
  const crypto = builtin('node:crypto')
  const realBytes = crypto.randomBytes as (count: number) => Buffer
  const bytes = (count: number) => machine?.bytes(count) ?? realBytes(count)
  const fraction = Math.random
  Math.random = () => machine?.fraction() ?? fraction()
  Object.assign(crypto, {
    randomBytes: bytes,
    randomFillSync: (target: Uint8Array) => {
      target.set(bytes(target.length))
      return target
    },
    // The real one runs in another thread and takes as long as an attacker should need.
    argon2: (
      name: string,
      { message, nonce, tagLength }: { message: string; nonce: Uint8Array; tagLength: number },
      done: (error: null, hash: Buffer) => void,
    ) =>
      done(
        null,
        createHash('sha256').update(name).update(nonce).update(message).digest().subarray(0, tagLength),
      ),
  })
}

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Has the signatures of Web Cryptography made at once instead of in another thread. */
function replaceSigning() {
  const { subtle } = globalThis.crypto
  const name = { name: 'Ed25519' }
  const importKey = subtle.importKey.bind(subtle)
  Object.assign(subtle, {
    // Only keys that may be read again can be converted for the signatures below.
    importKey: (...[format, data, algorithm, , uses]: Parameters<typeof importKey>) =>
      importKey(format, data, algorithm, true, uses),
    generateKey: async (_algorithm: unknown, extractable: boolean) => {
      const { randomBytes } = builtin('node:crypto') as { randomBytes: (count: number) => Buffer }
      const key = Buffer.concat([keyPrefix, randomBytes(32)])
      const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
      return {
        privateKey: privateKey.toCryptoKey(name, extractable, ['sign']),
        publicKey: createPublicKey(privateKey).toCryptoKey(name, true, ['verify']),
      }
    },
    sign: async (_algorithm: unknown, key: webcrypto.CryptoKey, data: Uint8Array) =>
      sign(null, data, KeyObject.from(key)),
    verify: async (_algorithm: unknown, key: webcrypto.CryptoKey, signature: Uint8Array, data: Uint8Array) =>
      verify(null, data, KeyObject.from(key), signature),
  })
}

const require = createRequire(import.meta.url)

/** Returns a module of Node whose members can be replaced. */
function builtin(name: string): Record<string, unknown> {
  return require(name)
}
