/** The settings of a connector: where its system is from the environment, and what it serves from a JSON file. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** A setting that is missing or not valid. The message names it and says what to do. */
export class ConfigError extends Error {}

/** A system that does not respond at the start, and may do so later. The message names its setting. */
export class UnavailableError extends Error {}

export const code = z.string().min(1).max(64)
/** The fewest and the most days. */
export const days = z.tuple([z.int().min(0).max(365), z.int().min(0).max(365)])
export const timezone = z.string().refine(isTimezone, 'must be a time zone such as Australia/Sydney')

/** A carrier of a settings file. What `code` names in the system is said by the README of the connector. */
export const carrier = z.strictObject({
  code,
  kind: z.enum(['delivery', 'pickup']),
  /** The service of drop-ship orders that this carrier performs. */
  service: z.enum(['normal', 'express']).optional(),
  /** The fewest and the most days on the way. */
  days,
})

/** Returns a setting of the environment. Throws `ConfigError`; `meaning` says what to set it to. */
export function requireSetting(env: NodeJS.ProcessEnv, name: string, meaning: string): string {
  const value = env[name]
  if (value) return value
  throw new ConfigError(`Set ${name} to ${meaning}.`)
}

/** Returns an http or https URL of the environment. Throws `ConfigError`. */
export function requireUrl(env: NodeJS.ProcessEnv, name: string, meaning: string): string {
  const url = requireSetting(env, name, meaning)
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new ConfigError(`${name} must be an http or https URL, not "${url}".`)
}

/** Reads the text of a settings file. Throws `ConfigError`. */
export function readSettingsFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${path} cannot be read: ${error instanceof Error ? error.message : error}.`)
  })
}

/** Parses the text of a settings file. `path` is for messages. Throws `ConfigError` for the first wrong value. */
export function parseSettings<T>(schema: z.ZodType<T>, text: string, path: string): T {
  const parsed = schema.safeParse(parseJson(text, path))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = issue?.path.join('.') || 'the file'
  throw new ConfigError(`${path}: ${place} is not valid: ${issue?.message ?? 'unknown reason'}.`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`${path} is not JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

/** Throws `ConfigError` if a value occurs twice. `what` begins the sentence: `shop.json: carriers have the code`. */
export function requireDistinct(what: string, list: readonly string[]): void {
  const twice = list.find((one, index) => list.indexOf(one) !== index)
  if (twice !== undefined) throw new ConfigError(`${what} ${twice} twice.`)
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
