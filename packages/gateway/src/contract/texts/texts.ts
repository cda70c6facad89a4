import type { AnyEndpointId } from '../../catalogue.ts'
import type { ActionName } from '../../mcp/actions.ts'
import type { Details, ErrorCode } from '../errors.ts'
import type { Language } from '../language.ts'
import { en, type SentenceId, type Thing } from './en.ts'
import type { FieldName } from './fields/en.ts'
import { ko } from './ko.ts'
import type { SettingName } from './settings/en.ts'
import type { SiteWord } from './site/en.ts'
import { zh } from './zh.ts'

/** What a person reads of an error code. */
export interface ErrorText {
  readonly title: string
  readonly message: string
  /** One imperative next step. */
  readonly hint: string
  /** When it happens, for the error's page. */
  readonly when: string
}

export interface EndpointText {
  readonly summary: string
  readonly description: string
}

/** Every text of one language. The compiler forces each language to be complete. */
export interface Texts {
  readonly sentences: Readonly<Record<SentenceId, string>>
  readonly things: Readonly<Record<Thing, string>>
  readonly errors: Readonly<Record<ErrorCode, ErrorText>>
  readonly endpoints: Readonly<Record<AnyEndpointId, EndpointText>>
  /** The webhooks by their event type, and what their receivers answer. */
  readonly webhooks: Readonly<Record<'stock.changed' | 'order.created' | 'answer', EndpointText>>
  /** What `POST /mcp` is. */
  readonly mcp: EndpointText
  /** Titles of the business actions, as a person is asked to allow them. */
  readonly actions: Readonly<Record<ActionName, string>>
  readonly fields: Readonly<Record<FieldName, string>>
  readonly settings: Readonly<Record<SettingName, string>>
  readonly site: Readonly<Record<SiteWord, string>>
}

export const texts: Readonly<Record<Language, Texts>> = { en, zh, ko }

/** The most characters of a value that a sentence echoes. */
const mostEchoed = 100
/** The ERP's own reason and the values of a field may be longer. */
const mostReason = 300

/** A sentence in a language, its placeholders filled with cleaned, bounded values. */
export function sentence(language: Language, id: SentenceId, details: Details = {}): string {
  return texts[language].sentences[id].replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(details, name) ? details[name] : ''
    if (typeof value === 'object') return texts[language].things[value.thing]
    return cleaned(String(value), name === 'reason' || name === 'values' ? mostReason : mostEchoed)
  })
}

/** Control and formatting characters out, length bounded: safe to echo in JSON, logs and pages. */
export function cleaned(value: string, most: number = mostEchoed): string {
  const visible = value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
  return visible.length > most ? `${visible.slice(0, most)}…` : visible
}
