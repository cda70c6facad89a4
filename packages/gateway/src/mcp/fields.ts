/** Input fields that several actions share. Descriptions are short, because a model reads them before every call. */

import { z } from 'zod'

/** The codes of the warehouses, and of the views `AU` and `CN`, which each combine the warehouses of a country. */
const warehouseCodes = ['AU', 'AUSYD1', 'AUSYD2', 'CN', 'CHNZJ1']

/** The field for a warehouse. Its schema lists these codes; the pipeline decides which codes a caller may use. */
export const warehouseField = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'AU, CN: views', enum: warehouseCodes })

export const skuField = z.string().min(1).max(64).meta({ description: 'Exact SKU' })
export const createDayField = (description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .meta({ description: `${description}, YYYY-MM-DD` })

export const quoteInput = z.object({
  quote_id: z.string().min(1).max(200).meta({ description: 'From the quote, unchanged' }),
  confirm_total: z.number().min(0).meta({ description: 'The quoted total, as the user agreed to it' }),
})
