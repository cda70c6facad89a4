import { type Html, html } from '../html.ts'

/** Renders text and the code between backticks. Every second part of the split text is code. */
export function renderInlineCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}
