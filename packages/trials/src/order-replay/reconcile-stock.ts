import { type Books, createFinding, type Finding } from './finding.ts'
import type { Figures } from './replay-erp.ts'

/** Compares each row of the ERP's stock with the ERP's documents. */
export function compareStockWithDocuments({ opening, erp }: Books): Finding[] {
  const sold = new Map<string, number>()
  const held = new Map<string, number>()
  for (const { status, lines } of erp.documents) {
    const into = status === 'shipped' ? sold : status === 'open' || status === 'held' ? held : undefined
    for (const { sku, allocations } of into ? lines : []) {
      for (const { warehouse_code, quantity } of allocations) {
        const row = `${sku} in ${warehouse_code}`
        into?.set(row, (into.get(row) ?? 0) + quantity)
      }
    }
  }
  return [...erp.stock].flatMap(([warehouse_code, snapshot]) =>
    [...snapshot].flatMap(([sku, { on_hand, available }]) => {
      const row = `${sku} in ${warehouse_code}`
      const opened = opening.get(warehouse_code)?.get(sku) ?? 0
      const [gone, kept] = [sold.get(row) ?? 0, held.get(row) ?? 0]
      const story = `opened with ${opened}, sold ${gone}, held for documents ${kept}; on hand ${on_hand}, available ${available}`
      return [
        ...(on_hand < 0 || available < 0 || gone + kept > opened
          ? [createFinding('oversold', row, story)]
          : []),
        ...(on_hand !== available ? [createFinding('held', row, story)] : []),
        ...(on_hand !== opened - gone || available !== on_hand - kept
          ? [createFinding('miscounted', row, story)]
          : []),
      ]
    }),
  )
}

/** Compares the ERP's stock with the quantities that the client bought, for each SKU without unknown outcomes. */
export function compareStockWithSales({ opening, entries, erp }: Books): Finding[] {
  const unknown = new Set<string>()
  const bought = new Map<string, number>()
  for (const { goods, outcome } of entries) {
    for (const [sku, quantity] of goods) {
      if (outcome === 'unknown') unknown.add(sku)
      if (outcome === 'confirmed') bought.set(sku, (bought.get(sku) ?? 0) + quantity)
    }
  }
  const opened = sumBySku([...opening.values()].flatMap((snapshot) => [...snapshot]))
  const left = sumBySku(
    [...erp.stock.values()].flatMap((snapshot) =>
      [...snapshot].map(([sku, { available }]): [string, number] => [sku, available]),
    ),
  )
  return [...opened].flatMap(([sku, quantity]) => {
    const expected = quantity - (bought.get(sku) ?? 0)
    if (unknown.has(sku) || left.get(sku) === expected) return []
    return [
      createFinding('miscounted', sku, `by the client's orders ${expected} are left, not ${left.get(sku)}`),
    ]
  })
}

function sumBySku(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [sku, quantity] of entries) sums.set(sku, (sums.get(sku) ?? 0) + quantity)
  return sums
}

/** Compares the gateway's copy of the stock with the ERP's. */
export function compareStockWithCopy({ gateway, erp }: Books): Finding[] {
  return [...erp.stock].flatMap(([warehouse_code, snapshot]) => {
    const copy = gateway.stock.get(warehouse_code) ?? new Map<string, Figures>()
    return [...new Set([...snapshot.keys(), ...copy.keys()])].flatMap((sku) => {
      const [own, theirs] = [snapshot.get(sku), copy.get(sku)]
      if (own?.on_hand === theirs?.on_hand && own?.available === theirs?.available) return []
      const story = `the gateway: ${formatFigures(theirs)}, the ERP: ${formatFigures(own)}`
      return [createFinding('mismatched', `${sku} in ${warehouse_code}`, story)]
    })
  })
}

function formatFigures(figures: Figures | undefined): string {
  return figures ? `${figures.on_hand} on hand, ${figures.available} available` : 'none'
}
