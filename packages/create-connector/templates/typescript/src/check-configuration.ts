import { stock, warehouses } from './example.ts'

/**
 * Returns a sentence for each problem of the configuration; the connector does not start with one. Check here what an
 * order would fail on later: the ERP responds, its version is known, its user has the rights, each warehouse exists.
 */
export async function findProblems(): Promise<string[]> {
  const known = new Set(warehouses.map(({ warehouse_code }) => warehouse_code))
  return [...stock.keys()]
    .filter((code) => !known.has(code))
    .map(
      (code) =>
        `There is stock in ${code}, which is not a warehouse. Add the warehouse, or leave the stock out.`,
    )
}
