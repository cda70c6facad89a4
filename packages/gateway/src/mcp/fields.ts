import { z } from 'zod'

/** Fields that several actions share. Short descriptions: they are read by a model before every call. */
const warehouseCodes = ['AU', 'AUSYD1', 'AUSYD2', 'CN', 'CHNZJ1']

/** The specification's five; which of them a caller may use, the door decides. */
export const warehouseField = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'AU, CN: views', enum: warehouseCodes })

export const skuField = z.string().min(1).max(64).meta({ description: 'Exact SKU' })
export const dayField = (description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .meta({ description: `${description}, YYYY-MM-DD` })

export const quoteInput = z.object({
  quote_id: z.string().min(1).max(200).meta({ description: 'From the quote, unchanged' }),
  confirm_total: z.number().min(0).meta({ description: 'The quoted total, as the user agreed to it' }),
})
