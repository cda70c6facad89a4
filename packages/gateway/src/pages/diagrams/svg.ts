import type { Language } from '../../contract/language.ts'
import type { DiagramId } from '../../contract/texts/diagrams/diagram-texts.ts'
import { texts } from '../../contract/texts/texts.ts'
import { retryDelaysMs } from '../../webhooks/schedule.ts'
import { type Html, html } from '../html.ts'
import type { Piece } from '../page.ts'
import { type Arrow, type Box, type Diagram, diagrams } from './diagrams.ts'
import {
  type Direction,
  labelSize,
  layOut,
  lineHeight,
  nameSize,
  noteSize,
  type PlacedArrow,
  type PlacedBox,
} from './layout.ts'
import type { Word } from './text-lines.ts'

/**
 * Builds a diagram as a part of a page: two SVG images from one description, of which the style sheet shows the one for
 * the width of the screen. Their colours are those of the style sheet. In Markdown, the diagram is its description and
 * its arrows.
 */
export function buildDiagramPiece(id: DiagramId, language: Language): Piece {
  const diagram: Diagram = diagrams[id]
  const { title } = texts[language].diagrams[id]
  const description = describeDiagram(id, language)
  const reader = createTextReader(id, language)
  const steps = diagram.arrows
    .filter((arrow) => arrow.text !== undefined)
    .map((arrow) => {
      const [from, to] = [arrow.from, arrow.to].map((end) => nameBox(diagram, end, reader))
      return `- ${from} → ${to}: ${reader.arrow(arrow)}`
    })
  return {
    markdown: [`**${title}.** ${description}`, steps.join('\n')].join('\n\n'),
    brief: '',
    html: () =>
      html`<figure class="diagram">${(['right', 'down'] as const).map((direction) =>
        renderSvg({ id: `${id}-${direction}`, title, description, diagram, reader, direction }),
      )}</figure>`,
  }
}

/** Whether a name is that of a diagram. */
export function isDiagramId(name: string): name is DiagramId {
  return Object.hasOwn(diagrams, name)
}

function describeDiagram(id: DiagramId, language: Language): string {
  const delays = new Intl.ListFormat(language, { type: 'unit' }).format(
    retryDelaysMs.map((delay) => formatDelay(delay, language, 'long')),
  )
  return texts[language].diagrams[id].description.replace('{delays}', delays)
}

interface TextReader {
  readonly box: (box: Box) => string
  readonly arrow: (arrow: Arrow) => string
}

function createTextReader(id: DiagramId, language: Language): TextReader {
  const { boxes, arrows }: Readonly<Record<'boxes' | 'arrows', Readonly<Record<string, string>>>> =
    texts[language].diagrams[id]
  return {
    box: ({ text, values = {} }) =>
      (boxes[text] ?? '').replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? '')),
    arrow: ({ text, delayMs }) =>
      (arrows[text ?? ''] ?? '').replace(
        '{delay}',
        delayMs === undefined ? '' : formatDelay(delayMs, language, 'short'),
      ),
  }
}

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function formatDelay(ms: number, language: Language, unitDisplay: 'short' | 'long'): string {
  const [unit, length] = units.find(([, each]) => ms >= each) ?? units[2]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(ms / length)
}

function nameBox(diagram: Diagram, id: string, reader: TextReader): string {
  const box = diagram.boxes.find((each) => each.id === id)
  const [name = ''] = box ? reader.box(box).split('\n') : []
  return box?.isCode ? `\`${name}\`` : name
}

interface Drawing {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly diagram: Diagram
  readonly reader: TextReader
  readonly direction: Direction
}

function renderSvg({ id, title, description, diagram, reader, direction }: Drawing): Html {
  const { width, height, boxes, arrows } = layOut(diagram, reader, direction)
  return html`<svg class="${direction}" role="img" aria-labelledby="${id}-title ${id}-desc" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description.replaceAll('`', '')}</desc>${arrows.map(renderArrow)}${boxes.map(renderBox)}</svg>`
}

function renderBox({ box, x, y, width, height, name, note }: PlacedBox): Html {
  const lines = [
    ...name.map((words) => ({ words, size: nameSize, kind: 'box-name' })),
    ...note.map((words) => ({ words, size: noteSize, kind: 'box-note' })),
  ]
  const top = y + (height - lines.length * lineHeight) / 2
  const center = round(x + width / 2)
  return html`<g class="box ${box.kind ?? 'main'}"><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="7"/>${lines.map(
    ({ words, size, kind }, at) =>
      html`<text class="${kind}" x="${center}" y="${round(top + at * lineHeight + 12.5)}" font-size="${size}" text-anchor="middle">${renderWords(words)}</text>`,
  )}</g>`
}

const head = 6

function renderArrow({ from, to, label, isAbove }: PlacedArrow): Html {
  const [x, y] = to
  const [dx, dy] = [Math.sign(x - from[0]), Math.sign(y - from[1])]
  const [backX, backY] = [x - dx * head, y - dy * head]
  const tip = `M${round(x)} ${round(y)}L${round(backX - dy * 4)} ${round(backY - dx * 4)}L${round(backX + dy * 4)} ${round(backY + dx * 4)}Z`
  return html`<g class="arrow"><path class="line" d="M${round(from[0])} ${round(from[1])}L${round(backX)} ${round(backY)}"/><path class="tip" d="${tip}"/>${renderLabel(
    { from, to, label, isAbove },
  )}</g>`
}

function renderLabel({ from, to, label, isAbove }: PlacedArrow): Html[] {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]
  return label.map((words, at) => {
    const down = isAbove
      ? y - 7 - (label.length - 1 - at) * lineHeight
      : y + 4 + (at - (label.length - 1) / 2) * lineHeight
    const [left, anchor] = isAbove ? [x - head / 2, 'middle'] : [x + 8, 'start']
    return html`<text class="arrow-label" x="${round(left)}" y="${round(down)}" font-size="${labelSize}" text-anchor="${anchor}">${renderWords(words)}</text>`
  })
}

function renderWords(words: readonly Word[]): Html[] {
  return words.map(({ text, isCode }) =>
    isCode ? html`<tspan class="identifier">${text}</tspan>` : html`${text}`,
  )
}

function round(length: number): number {
  return Math.round(length * 10) / 10
}
