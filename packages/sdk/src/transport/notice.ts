import type { NoticeEvent } from './events.ts'

/** Reads the announcement that something in use will end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), `Link`. */
export function readNotice(headers: Headers): NoticeEvent | undefined {
  const deprecation = headers.get('deprecation')
  if (deprecation === null) return undefined
  const sunset = headers.get('sunset') ?? undefined
  const link = headers.get('link') ?? undefined
  const end = sunset === undefined ? '' : ` It works until ${sunset}.`
  const page = /<([^>]+)>/.exec(link ?? '')?.[1]
  const where = page === undefined ? '' : ` See ${page}.`
  return {
    type: 'notice',
    message: `Trade Gateway: this token or call is deprecated.${end}${where}`,
    sunset,
    link,
  }
}

/**
 * Describes that the store of the client's token failed. A store's message may quote what it was to keep, so only its
 * code is told.
 */
export function describeStoreFailure(reason: unknown): NoticeEvent {
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined
  const what = code ?? (reason instanceof Error ? reason.name : 'unknown failure')
  return {
    type: 'notice',
    message: `Trade Gateway: the token store failed (${what}). The token is used without it.`,
    sunset: undefined,
    link: undefined,
  }
}

const maxShown = 20
/** What this process has warned of. A warning concerns the process and not a client, so every client shares it. */
const shown = new Set<string>()

/** Warns of a notice once in this process: as a process warning where there are such, else on the console. */
export function warnOnce({ message }: NoticeEvent, kind: WarningKind): void {
  if (shown.has(message) || shown.size >= maxShown) return
  shown.add(message)
  emitWarning(message, kind)
}

/** The name of a process warning. Node can be told to throw deprecations. */
export type WarningKind = 'DeprecationWarning' | 'Warning'

function emitWarning(message: string, kind: WarningKind): void {
  const { process, console } = globalThis as {
    process?: { emitWarning?(message: string, type: string): void }
    console: { warn(message: string): void }
  }
  if (process?.emitWarning) process.emitWarning(message, kind)
  else console.warn(message)
}
