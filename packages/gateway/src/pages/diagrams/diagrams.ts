import type { DiagramId } from '../../contract/texts/diagrams/diagram-texts.ts'
import type { diagramsEn } from '../../contract/texts/diagrams/en.ts'
import { maxAttempts, retryDelaysMs } from '../../webhooks/schedule.ts'

/**
 * A diagram as data: boxes on a grid, and arrows between boxes that face each other. `along` is the direction of
 * reading: to the right on a wide screen, down on a narrow one. `across` is the other direction.
 */
export interface Diagram<BoxText extends string = string, ArrowText extends string = string> {
  readonly boxes: readonly Box<BoxText>[]
  readonly arrows: readonly Arrow<ArrowText>[]
  /** The width of a box and of the gap between boxes on a wide screen, in pixels. */
  readonly wide: { readonly box: number; readonly gap: number }
}

export interface Box<Text extends string = string> {
  readonly id: string
  readonly text: Text
  /** The first and, if the box spans several places, the last place in each direction. */
  readonly along: number | readonly [first: number, last: number]
  readonly across: number | readonly [first: number, last: number]
  readonly kind?: 'main' | 'end' | 'question' | 'start'
  /** Set if the name is an identifier, such as a status. */
  readonly isCode?: true
  readonly values?: Readonly<Record<string, string | number>>
}

export interface Arrow<Text extends string = string> {
  readonly from: string
  readonly to: string
  readonly text?: Text
  /** A duration that fills `{delay}`. */
  readonly delayMs?: number
}

const attempts = Array.from({ length: maxAttempts }, (_, at) => at)

type Diagrams = {
  readonly [Id in DiagramId]: Diagram<
    keyof (typeof diagramsEn)[Id]['boxes'] & string,
    keyof (typeof diagramsEn)[Id]['arrows'] & string
  >
}

/** The diagrams of the pages. Their texts are in `contract/texts/diagrams`. */
export const diagrams: Diagrams = {
  architecture: {
    wide: { box: 176, gap: 104 },
    boxes: [
      { id: 'shops', text: 'shops', along: 0, across: 0, kind: 'start' },
      { id: 'agents', text: 'agents', along: 0, across: 1, kind: 'start' },
      { id: 'operators', text: 'operators', along: 0, across: 2, kind: 'start' },
      { id: 'gateway', text: 'gateway', along: 1, across: [0, 2], kind: 'main' },
      { id: 'erp', text: 'erp', along: 2, across: 0, kind: 'end' },
      { id: 'database', text: 'database', along: 2, across: 1, kind: 'end' },
      { id: 'receivers', text: 'receivers', along: 2, across: 2, kind: 'end' },
    ],
    arrows: [
      { from: 'shops', to: 'gateway', text: 'rest' },
      { from: 'agents', to: 'gateway', text: 'mcp' },
      { from: 'operators', to: 'gateway', text: 'admin' },
      { from: 'gateway', to: 'erp', text: 'writes' },
      { from: 'gateway', to: 'database', text: 'records' },
      { from: 'gateway', to: 'receivers', text: 'webhooks' },
    ],
  },
  wholesale: {
    wide: { box: 192, gap: 92 },
    boxes: [
      { id: 'draft', text: 'draft', along: 0, across: 0, kind: 'start', isCode: true },
      { id: 'confirmed', text: 'confirmed', along: 1, across: 0, kind: 'main', isCode: true },
      { id: 'shipped', text: 'shipped', along: 2, across: 0, kind: 'end' },
      { id: 'cancelled', text: 'cancelled', along: [0, 1], across: 1, kind: 'end', isCode: true },
    ],
    arrows: [
      { from: 'draft', to: 'confirmed', text: 'submit' },
      { from: 'confirmed', to: 'shipped', text: 'ship' },
      { from: 'draft', to: 'cancelled', text: 'void_draft' },
      { from: 'confirmed', to: 'cancelled', text: 'void_order' },
    ],
  },
  dropship: {
    wide: { box: 156, gap: 80 },
    boxes: [
      { id: 'preview', text: 'preview', along: 0, across: 0, kind: 'start', isCode: true },
      { id: 'order', text: 'order', along: 1, across: 0, kind: 'main', isCode: true },
      { id: 'handed', text: 'handed', along: 2, across: 0, kind: 'main', isCode: true },
      { id: 'shipped', text: 'shipped', along: 3, across: 0, kind: 'end', isCode: true },
      { id: 'cancelled', text: 'cancelled', along: [0, 1], across: 1, kind: 'end', isCode: true },
      { id: 'intercepted', text: 'intercepted', along: 2, across: 1, kind: 'end', isCode: true },
    ],
    arrows: [
      { from: 'preview', to: 'order', text: 'submit' },
      { from: 'order', to: 'handed', text: 'hand_over' },
      { from: 'handed', to: 'shipped', text: 'ship' },
      { from: 'preview', to: 'cancelled', text: 'release' },
      { from: 'order', to: 'cancelled', text: 'void_order' },
      { from: 'handed', to: 'intercepted', text: 'intercept' },
    ],
  },
  retry: {
    wide: { box: 208, gap: 88 },
    boxes: [
      { id: 'response', text: 'response', along: 0, across: 0, kind: 'question' },
      { id: 'retryable', text: 'retryable', along: 1, across: 0, kind: 'question' },
      { id: 'correct', text: 'correct', along: 2, across: 0, kind: 'end' },
      { id: 'again', text: 'again', along: [0, 1], across: 1, kind: 'main' },
      { id: 'look_up', text: 'look_up', along: 2, across: 1, kind: 'end' },
    ],
    arrows: [
      { from: 'response', to: 'retryable', text: 'yes' },
      { from: 'response', to: 'again', text: 'no' },
      { from: 'retryable', to: 'correct', text: 'not_retryable' },
      { from: 'retryable', to: 'again', text: 'retryable' },
      { from: 'again', to: 'look_up', text: 'unknown' },
    ],
  },
  webhook: {
    wide: { box: 74, gap: 60 },
    boxes: [
      ...attempts.map((at) => ({
        id: `attempt-${at}`,
        text: 'attempt' as const,
        along: at,
        across: 0,
        kind: 'main' as const,
        values: { number: at + 1 },
      })),
      { id: 'dead', text: 'dead', along: maxAttempts, across: 0, kind: 'end' },
      { id: 'delivered', text: 'delivered', along: [0, maxAttempts - 1], across: 1, kind: 'end' },
    ],
    arrows: [
      ...retryDelaysMs.map((delayMs, at) => ({
        from: `attempt-${at}`,
        to: `attempt-${at + 1}`,
        text: 'delay' as const,
        delayMs,
      })),
      { from: `attempt-${maxAttempts - 1}`, to: 'dead', text: 'failed' },
      ...attempts.map((at) => ({ from: `attempt-${at}`, to: 'delivered' })),
    ],
  },
}
