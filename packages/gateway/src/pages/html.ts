import { html as template } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Safe markup. Only `html` and `raw` create it, so that text is never interpreted as markup by accident. */
export type Html = HtmlEscapedString

/** The values of a template: text is escaped, markup is inserted, lists are joined, and `undefined` adds nothing. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[]

/**
 * Creates markup from a template like `hono/html`, but without promises, because all values of a page are known when
 * the page is rendered.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const made = template(strings, ...values)
  if (made instanceof Promise) throw new TypeError('A page contains a value that is still a promise.')
  return made
}
