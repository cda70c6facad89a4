import { type ErrorCode, errorCodes, errorTable } from '../contract/errors.ts'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import type { Page } from './page.ts'

/** `/errors`: every code with its status and meaning. */
export function errorIndex(language: Language): Page {
  const { pages, errors } = texts[language]
  const rows = errorCodes.map((code) => [
    { text: code, href: `/errors/${code}` },
    String(errorTable[code].status),
    errors[code].title,
  ])
  return {
    title: pages.errors_title,
    blocks: [
      { kind: 'text', text: pages.errors_lead },
      { kind: 'table', head: [pages.code, pages.status, pages.meaning], rows },
    ],
  }
}

/** `/errors/<code>`: what happened, why, and what to do next. */
export function errorPage(language: Language, code: ErrorCode): Page {
  const { pages, errors } = texts[language]
  const { status, retryable } = errorTable[code]
  const { title, message, hint, when } = errors[code]
  const example = {
    error: { code, message, hint, request_id: 'req_…', doc_url: `/errors/${code}`, retryable },
  }
  return {
    title: code,
    blocks: [
      { kind: 'text', text: title },
      { kind: 'text', text: message },
      { kind: 'heading', text: pages.when },
      { kind: 'text', text: when },
      { kind: 'heading', text: pages.fix },
      { kind: 'text', text: hint },
      { kind: 'heading', text: pages.retry },
      { kind: 'text', text: retryable ? pages.retry_yes : pages.retry_no },
      { kind: 'heading', text: pages.status },
      { kind: 'text', text: String(status) },
      { kind: 'heading', text: pages.example },
      { kind: 'code', text: JSON.stringify(example, null, 2) },
      { kind: 'links', links: [{ text: pages.all_errors, href: '/errors' }] },
    ],
  }
}
