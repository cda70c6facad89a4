import { type Erp, ok } from '@trade-gateway/connector'
import { warehouses } from './example.ts'

/** The warehouses that sell. Leave out transit locations, scrap and closed places. */
export const readWarehouses: Pick<Erp, 'warehouses'> = {
  warehouses: async () => ok({ warehouses: [...warehouses] }),
}
