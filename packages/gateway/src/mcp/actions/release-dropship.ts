import { z } from 'zod'
import { dropshipRead, dropshipRelease } from '../../dropship/endpoints.ts'
import { action, commitHints } from '../action.ts'
import { givenBackByDropship } from '../given-back.ts'
import { counted } from '../wording.ts'

export const releaseDropship = action({
  name: 'release_dropship',
  description:
    'Gives back the stock that a drop-ship quote holds; its quote_id is then worth nothing. Again: the same answer. Not for an order that was placed (cancel_order). 3 points.',
  hints: commitHints,
  input: z.strictObject({
    dropship_order_id: z.string().min(1).max(64).meta({ description: 'From quote_dropship, dso_…' }),
  }),
  output: z.object({
    dropship_order_id: z.string(),
    status: z.string(),
    released: z.array(z.object({ sku: z.string(), quantity: z.int() })),
  }),

  async run(visit, { dropship_order_id }) {
    const params = { dropship_order_id }
    const { data: before } = (await visit.of(dropshipRead, { params })).json
    const key = `mcp-release-${dropship_order_id}`
    const { data: after } = (await visit.of(dropshipRelease, { params, key })).json
    const released = givenBackByDropship(before)
    const pieces = released.reduce((sum, { quantity }) => sum + quantity, 0)
    return {
      data: { dropship_order_id, status: after.status, released },
      text: `${dropship_order_id} is ${after.status}; ${counted(pieces, 'piece')} given back.`,
    }
  },
})
