import type { ErrorCode } from '../error-table.ts'
import type { DiagramTexts } from './diagrams/diagram-texts.ts'
import type { ErrorText, SentenceId, Thing } from './en.ts'
import type { FieldName } from './fields/en.ts'
import type { SettingName } from './settings/en.ts'
import type { SiteWord } from './site/en.ts'

/**
 * Every text of one language except the texts of declarations (`translation.ts`). The compiler requires each language
 * to be complete.
 */
export interface Texts {
  readonly sentences: Readonly<Record<SentenceId, string>>
  readonly things: Readonly<Record<Thing, string>>
  readonly errors: Readonly<Record<ErrorCode, ErrorText>>
  readonly fields: Readonly<Record<FieldName, string>>
  readonly settings: Readonly<Record<SettingName, string>>
  readonly diagrams: DiagramTexts
  readonly site: Readonly<Record<SiteWord, string>>
}
