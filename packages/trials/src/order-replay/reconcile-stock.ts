import type { Figures } from './erp-desk.ts'
import { type Books, type Finding, finding } from './finding.ts'

/** The ERP's stock against its own documents: each row of each warehouse. */
export function documentFindings({ opening, erp }: Books): Finding[] {
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
  return [...erp.stock].flatMap(([warehouse_code, shelf]) =>
    [...shelf].flatMap(([sku, { on_hand, available }]) => {
      const row = `${sku} in ${warehouse_code}`
      const opened = opening.get(warehouse_code)?.get(sku) ?? 0
      const [gone, kept] = [sold.get(row) ?? 0, held.get(row) ?? 0]
      const story = `opened with ${opened}, sold ${gone}, held for documents ${kept}; on hand ${on_hand}, available ${available}`
      return [
        ...(on_hand < 0 || available < 0 || gone + kept > opened ? [finding('oversold', row, story)] : []),
        ...(on_hand !== available ? [finding('held', row, story)] : []),
        ...(on_hand !== opened - gone || available !== on_hand - kept
          ? [finding('miscounted', row, story)]
          : []),
      ]
    }),
  )
}

/** The ERP's stock against what the client knows that it bought: each SKU of which everything is known. */
export function salesFindings({ opening, entries, erp }: Books): Finding[] {
  const unknown = new Set<string>()
  const bought = new Map<string, number>()
  for (const { goods, outcome } of entries) {
    for (const [sku, quantity] of goods) {
      if (outcome === 'unknown') unknown.add(sku)
      if (outcome === 'confirmed') bought.set(sku, (bought.get(sku) ?? 0) + quantity)
    }
  }
  const opened = sumsOf([...opening.values()].flatMap((shelf) => [...shelf]))
  const left = sumsOf(
    [...erp.stock.values()].flatMap((shelf) =>
      [...shelf].map(([sku, { available }]): [string, number] => [sku, available]),
    ),
  )
  return [...opened].flatMap(([sku, quantity]) => {
    const expected = quantity - (bought.get(sku) ?? 0)
    if (unknown.has(sku) || left.get(sku) === expected) return []
    return [finding('miscounted', sku, `by the client's orders ${expected} are left, not ${left.get(sku)}`)]
  })
}

function sumsOf(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [sku, quantity] of entries) sums.set(sku, (sums.get(sku) ?? 0) + quantity)
  return sums
}

/** The gateway's copy of the stock against the ERP's. */
export function copyFindings({ gateway, erp }: Books): Finding[] {
  return [...erp.stock].flatMap(([warehouse_code, shelf]) => {
    const copy = gateway.stock.get(warehouse_code) ?? new Map<string, Figures>()
    return [...new Set([...shelf.keys(), ...copy.keys()])].flatMap((sku) => {
      const [own, theirs] = [shelf.get(sku), copy.get(sku)]
      if (own?.on_hand === theirs?.on_hand && own?.available === theirs?.available) return []
      const story = `the gateway: ${told(theirs)}, the ERP: ${told(own)}`
      return [finding('mismatched', `${sku} in ${warehouse_code}`, story)]
    })
  })
}

function told(figures: Figures | undefined): string {
  return figures ? `${figures.on_hand} on hand, ${figures.available} available` : 'none'
}
