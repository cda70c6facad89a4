/** The packages of shipments and their tracking numbers, if the module for them is active. */
import { cutText } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import { outModel } from './context.ts'

/** By Tryton's id of the shipment. */
export type TrackedPackages = ReadonlyMap<
  number,
  { readonly packages: number; readonly tracking: string | null }
>

const packageRow = z.object({ shipment: z.string(), shipping_reference: z.string().nullish() })
const maxTrackingCharacters = 100

export async function readPackages(
  { rpc, places }: Connector,
  shipments: readonly number[],
): Promise<TrackedPackages> {
  const isActive = ['stock_package', 'stock_package_shipping'].every((name) => places.modules.has(name))
  if (!isActive || shipments.length === 0) return new Map()
  const names = shipments.map((id) => `${outModel},${id}`)
  const rows = await rpc.searchRead('stock.package', [['shipment', 'in', names]], packageRow, {
    fields: ['shipment', 'shipping_reference'],
  })
  return new Map(
    shipments.flatMap((id) => {
      const own = rows.filter(({ shipment }) => shipment === `${outModel},${id}`)
      const tracking = own.find(({ shipping_reference }) => shipping_reference)?.shipping_reference ?? ''
      const shown = cutText(tracking, maxTrackingCharacters) || null
      return own.length === 0 ? [] : [[id, { packages: own.length, tracking: shown }]]
    }),
  )
}
