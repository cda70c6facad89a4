import type { Data } from './shapes.ts'

/** An order that the caller did not accept at its preview. Its draft is voided, and nothing was charged. */
export class Declined {
  readonly order_id: string
  /** What was shown: costs, allocation and what is short. */
  readonly preview: Data<'orders.preview'>

  constructor(preview: Data<'orders.preview'>) {
    this.order_id = preview.order_id
    this.preview = preview
  }
}
