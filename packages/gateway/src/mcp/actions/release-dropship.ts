import { z } from 'zod'
import { dropshipRead, dropshipRelease } from '../../dropship/endpoints.ts'
import { action, commitHints } from '../action.ts'
import { listReleasedDropshipLines } from '../released-stock.ts'
import { countNoun } from '../wording.ts'

export const releaseDropship = action({
  name: 'release_dropship',
  title: 'Release held stock',
  description:
    'Releases the stock that a drop-ship quote holds; its quote_id can then no longer be placed. Repeating the call returns the same result. For an order that was placed, use cancel_order. 3 points.',
  hints: commitHints,
  endpoint: dropshipRelease,
  input: z.strictObject({
    dropship_order_id: z.string().min(1).max(64).meta({ description: 'From quote_dropship, dso_…' }),
  }),
  output: z.object({
    dropship_order_id: z.string(),
    status: z.string(),
    released: z.array(z.object({ sku: z.string(), quantity: z.int() })),
  }),

  async run(context, { dropship_order_id }) {
    const params = { dropship_order_id }
    const { data: before } = (await context.callEndpoint(dropshipRead, { params })).json
    const key = `mcp-release-${dropship_order_id}`
    const { data: after } = (await context.callEndpoint(dropshipRelease, { params, key })).json
    const released = listReleasedDropshipLines(before)
    const pieces = released.reduce((sum, { quantity }) => sum + quantity, 0)
    return {
      data: { dropship_order_id, status: after.status, released },
      text: `${dropship_order_id} is ${after.status}; ${countNoun(pieces, 'piece')} released.`,
    }
  },
})
