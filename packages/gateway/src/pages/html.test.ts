import { raw } from 'hono/html'
import { expect, it } from 'vitest'
import { html } from './html.ts'

it('escapes text in content and in attributes, and nothing that is markup already', () => {
  const text = `<b>"a" & 'b'</b>`
  const shown = '&lt;b&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/b&gt;'
  expect(String(html`<i title="${text}">${text}</i>`)).toBe(`<i title="${shown}">${shown}</i>`)
  expect(String(html`${html`<i>${text}</i>`}${raw('<hr>')}`)).toBe(`<i>${shown}</i><hr>`)
})

it('joins lists, escaping each text of them, and leaves nothing for what is undefined', () => {
  expect(String(html`${['<', [html`<br>`, 1]]}|${undefined}|${[]}`)).toBe('&lt;<br>1||')
})
