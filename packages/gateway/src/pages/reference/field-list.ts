import { type Html, html } from '../html.ts'
import { formatSiteText, type Piece } from '../page.ts'
import { renderInlineCode } from './inline-code.ts'
import { describeField, type FieldRow, type FieldView, formatFieldTable } from './schema-table.ts'

/**
 * Builds the fields of a request or a response: for people a nested list, in which a meaning has the whole width below
 * its field, and as Markdown a table.
 */
export function buildFieldPiece(rows: readonly FieldRow[], view: FieldView): Piece {
  return { markdown: formatFieldTable(rows, view), html: () => renderLevel(rows, '', view) }
}

/** Renders the fields directly below a path, each with its own fields inside. Rows are in depth-first order. */
function renderLevel(rows: readonly FieldRow[], prefix: string, view: FieldView): Html {
  const own = rows.filter(({ path }) => !path.slice(prefix.length).includes('.'))
  const items = own.map((row) => {
    const inner = rows.filter(
      ({ path }) => path.startsWith(`${row.path}.`) || path.startsWith(`${row.path}[].`),
    )
    const [first] = inner
    const below = first?.path.slice(0, row.path.length + (first.path[row.path.length] === '[' ? 3 : 1))
    return html`<li>${renderField(row, row.path.slice(prefix.length), view)}${below === undefined ? undefined : renderLevel(inner, below, view)}</li>`
  })
  return html`<ul class="fields">${items}</ul>`
}

function renderField(row: FieldRow, name: string, view: FieldView): Html {
  const { type, limits, need } = describeField(row, view)
  const badge =
    need &&
    html` <span class="need${need === 'needed' ? ' is-needed' : ''}">${formatSiteText(view.language, need)}</span>`
  const meaning = String(row.schema.description ?? '')
  const more =
    limits.length > 0 ? html` <span class="limits">${renderInlineCode(limits.join('; '))}</span>` : undefined
  return html`<p class="field"><code>${name}</code> <span class="type">${renderInlineCode(type)}</span>${badge}${more}</p>${meaning === '' ? undefined : html`<p>${renderInlineCode(meaning)}</p>`}`
}
