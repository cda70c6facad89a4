import { accessPromises } from './access.ts'
import { eventPromises } from './events.ts'
import { orderPromises } from './orders.ts'
import { platformPromises } from './platform.ts'
import { stockPromises } from './stock.ts'

/** Every promise, by subject, in the sequence of the page. */
export const promises = {
  orders: orderPromises,
  stock: stockPromises,
  events: eventPromises,
  access: accessPromises,
  platform: platformPromises,
} as const

export type Subject = keyof typeof promises
type KeysOf<Group> = Group extends unknown ? keyof Group : never
export type PromiseId = KeysOf<(typeof promises)[Subject]>
