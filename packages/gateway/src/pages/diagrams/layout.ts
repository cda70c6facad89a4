import type { Box, Diagram } from './diagrams.ts'
import { type Word, wrapText } from './text-lines.ts'

/** How a diagram is read: to the right on wide screens, down on narrow ones. */
export type Direction = 'right' | 'down'

export interface PlacedBox {
  readonly box: Box
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly name: readonly Word[][]
  readonly note: readonly Word[][]
}

export interface PlacedArrow {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
  readonly label: readonly Word[][]
  /** Whether the label is above the arrow, and not to its right. */
  readonly isAbove: boolean
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly boxes: readonly PlacedBox[]
  readonly arrows: readonly PlacedArrow[]
}

export const nameSize = 14
export const noteSize = 12.5
export const labelSize = 12.5
export const lineHeight = 17
const padding = 9
/** How much wider bold text is. */
const boldFactor = 1.07
const edge = 1
const minGap = 34
/** The width of a diagram on a narrow screen: that of the text of a page on a phone of 360 pixels. */
const narrowWidth = 324
/** The gap between two columns on a narrow screen, which has room for a word at an arrow; between three, there is none. */
const narrowGaps: Readonly<Record<number, number>> = { 2: 70, 3: 8 }

interface Texts {
  readonly box: (box: Box) => string
  readonly arrow: (arrow: Diagram['arrows'][number]) => string
}

/** Places the boxes of a diagram on its grid and the arrows between them. All lengths are pixels. */
export function layOut(diagram: Diagram, texts: Texts, direction: Direction): Layout {
  const isRight = direction === 'right'
  const toColumns = (box: Box) => toRange(isRight ? box.along : box.across)
  const toRows = (box: Box) => toRange(isRight ? box.across : box.along)
  const columns = 1 + Math.max(...diagram.boxes.map((box) => toColumns(box)[1]))
  const rows = 1 + Math.max(...diagram.boxes.map((box) => toRows(box)[1]))
  const gapX = isRight ? diagram.wide.gap : (narrowGaps[columns] ?? minGap)
  const columnWidth = isRight ? diagram.wide.box : (narrowWidth - (columns - 1) * gapX) / columns
  const widthOf = ([first, last]: Range) => (last - first + 1) * (columnWidth + gapX) - gapX

  const sized = diagram.boxes.map((box) => {
    const width = widthOf(toColumns(box))
    const [name = '', note = ''] = texts.box(box).split('\n')
    const named = wrapText(box.isCode ? `\`${name}\`` : name, width - 2 * padding, nameSize * boldFactor)
    const noted = note === '' ? [] : wrapText(note, width - 2 * padding, noteSize)
    const height = (named.length + noted.length) * lineHeight + 2 * padding
    return { box, width, name: named, note: noted, height }
  })

  const labels = new Map(
    diagram.arrows.map((arrow) => {
      const [from, to] = [arrow.from, arrow.to].map((id) => diagram.boxes.find((box) => box.id === id))
      const isAbove = from !== undefined && to !== undefined && !overlap(toColumns(from), toColumns(to))
      const room = isAbove ? gapX - 18 : columnWidth / 2 - 10
      const text = texts.arrow(arrow)
      return [arrow, { isAbove, lines: text === '' ? [] : wrapText(text, room, labelSize) }] as const
    }),
  )
  const besideLines = Math.max(
    0,
    ...[...labels.values()].filter(({ isAbove }) => !isAbove).map(({ lines }) => lines.length),
  )
  const gapY = Math.max(minGap, besideLines * lineHeight + 20)
  const rowHeights = Array.from({ length: rows }, (_, row) =>
    Math.max(
      ...sized
        .filter(({ box }) => toRows(box)[0] === row && toRows(box)[1] === row)
        .map(({ height }) => height),
      0,
    ),
  )
  for (const [arrow, { isAbove, lines }] of labels) {
    // An arrow meets the middle of its boxes, so its label has half their height.
    const from = diagram.boxes.find(({ id }) => id === arrow.from)
    const to = diagram.boxes.find(({ id }) => id === arrow.to)
    const row = Math.max(...[from, to].map((box) => (box ? toRows(box)[0] : 0)))
    if (isAbove) rowHeights[row] = Math.max(rowHeights[row] ?? 0, 2 * (lines.length * lineHeight + 6))
  }
  // A box over several rows is as high as these, or makes the last of them higher.
  for (const { box, height } of sized) {
    const [first, last] = toRows(box)
    const missing = height - sumRows(rowHeights, first, last, gapY)
    if (missing > 0) rowHeights[last] = (rowHeights[last] ?? 0) + missing
  }
  const boxes = sized.map((part) => {
    const [first, last] = toRows(part.box)
    return {
      ...part,
      x: edge + toColumns(part.box)[0] * (columnWidth + gapX),
      y: edge + (first === 0 ? 0 : sumRows(rowHeights, 0, first - 1, gapY) + gapY),
      height: sumRows(rowHeights, first, last, gapY),
    }
  })
  return {
    width: 2 * edge + widthOf([0, columns - 1]),
    height: 2 * edge + sumRows(rowHeights, 0, rows - 1, gapY),
    boxes,
    arrows: diagram.arrows.map((arrow) => {
      const find = (id: string) => boxes.find(({ box }) => box.id === id)
      const { isAbove = false, lines = [] } = labels.get(arrow) ?? {}
      return { ...connect(find(arrow.from), find(arrow.to)), label: lines, isAbove }
    }),
  }
}

type Range = readonly [first: number, last: number]

function toRange(place: number | Range): Range {
  return typeof place === 'number' ? [place, place] : place
}

function overlap([first, last]: Range, [otherFirst, otherLast]: Range): boolean {
  return first <= otherLast && otherFirst <= last
}

function sumRows(heights: readonly number[], first: number, last: number, gap: number): number {
  const own = heights.slice(first, last + 1)
  return own.reduce((sum, height) => sum + height, 0) + (own.length - 1) * gap
}

/** Connects two boxes by a straight line between the sides that face each other. */
function connect(from: PlacedBox | undefined, to: PlacedBox | undefined): Pick<PlacedArrow, 'from' | 'to'> {
  if (!from || !to) throw new Error('An arrow of a diagram leads to a box that does not exist.')
  const left = Math.max(from.x, to.x)
  const right = Math.min(from.x + from.width, to.x + to.width)
  if (left < right) {
    const x = (left + right) / 2
    return from.y < to.y
      ? { from: [x, from.y + from.height], to: [x, to.y] }
      : { from: [x, from.y], to: [x, to.y + to.height] }
  }
  const y = (Math.max(from.y, to.y) + Math.min(from.y + from.height, to.y + to.height)) / 2
  return from.x < to.x
    ? { from: [from.x + from.width, y], to: [to.x, y] }
    : { from: [from.x, y], to: [to.x + to.width, y] }
}
