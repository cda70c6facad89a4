import { rejected } from '../erp.ts'
import { changeOutput, type Mutant, removeHints, renameCode, replaceOperation } from './broken.ts'

/** Faulty ERPs for the product checks, by the id of the check that must detect each one. */
export const brokenProducts: Readonly<Record<string, Mutant>> = {
  'products.snapshot.ascending': (erp) =>
    changeOutput(erp, 'products.snapshot', (page) => ({
      ...page,
      products: [...page.products.slice(0, -1).reverse(), ...page.products.slice(-1)],
    })),
  'products.snapshot.pages': (erp) =>
    changeOutput(erp, 'products.snapshot', (page, { limit }) => ({
      ...page,
      next: limit === 7 ? null : page.next,
    })),
  'products.snapshot.after': (erp) =>
    changeOutput(erp, 'products.snapshot', (page, { after }) =>
      after === null || /^STYLE-\d\d$/.test(after) ? page : { products: [], next: null },
    ),
  'products.snapshot.limit': (erp) =>
    replaceOperation(erp, 'products.snapshot', (input, run) =>
      run({ ...input, limit: Math.max(input.limit, 3) }),
    ),
  'products.read.agrees': (erp) =>
    changeOutput(erp, 'products.read', ({ products }) => ({
      products: products.map((product) => ({ ...product, brand: 'Another' })),
    })),
  'products.read.unknown': (erp) =>
    replaceOperation(erp, 'products.read', async ({ product_codes }, run) => {
      const known = product_codes.filter((code) => code.startsWith('STYLE'))
      return run({ product_codes: known.length > 0 ? known : ['STYLE-10'] })
    }),
  'products.read.twice': (erp) =>
    changeOutput(erp, 'products.read', ({ products }, { product_codes }) => ({
      products: product_codes.flatMap((code) => products.filter((product) => product.product_code === code)),
    })),
  'products.read.most': (erp) =>
    replaceOperation(erp, 'products.read', async (input, run) =>
      input.product_codes.length > 1999 ? rejected('invalid_field', 'Too many.') : run(input),
    ),
  'products.names': (erp) => {
    const nameless = changeOutput(erp, 'products.snapshot', (page) => ({
      ...page,
      products: page.products.map((product) => ({ ...product, names: {} })),
    }))
    return changeOutput(nameless, 'products.read', ({ products }) => ({
      products: products.map((product) => ({ ...product, names: {} })),
    }))
  },
  'products.codes': (erp) => renameCode(erp, 'STYLE-29', 'STYLE-29/1'),
  'products.skus': (erp) => {
    const duplicateSkus = <P extends { skus: unknown[] }>(product: P): P => ({
      ...product,
      skus: [...product.skus, ...product.skus],
    })
    const snapshot = changeOutput(erp, 'products.snapshot', (page) => ({
      ...page,
      products: page.products.map(duplicateSkus),
    }))
    return changeOutput(snapshot, 'products.read', ({ products }) => ({
      products: products.map(duplicateSkus),
    }))
  },
  'products.stock': (erp) => {
    const lost = changeOutput(erp, 'products.snapshot', (page) => ({
      ...page,
      products: page.products.filter(({ product_code }) => product_code !== 'STYLE-15'),
    }))
    return changeOutput(lost, 'products.read', ({ products }) => ({
      products: products.filter(({ product_code }) => product_code !== 'STYLE-15'),
    }))
  },
  'products.changed.first': (erp) =>
    changeOutput(erp, 'products.changed', (hints, { cursor }) => ({ ...hints, more: cursor === null })),
  'products.changed.own': (erp) =>
    changeOutput(erp, 'products.changed', (hints, { cursor }) => ({ ...hints, everything: cursor !== null })),
  'products.changed.repeatable': (erp) => {
    const used = new Set<string>()
    return replaceOperation(erp, 'products.changed', async (input, run) => {
      const isOwn = input.cursor?.startsWith('at-') && !input.cursor.endsWith('~')
      if (!isOwn || input.cursor === null) {
        used.clear()
        return run(input)
      }
      if (used.has(input.cursor)) return rejected('not_found', 'This cursor has been used.')
      used.add(input.cursor)
      return run(input)
    })
  },
  'products.changed.ends': (erp) =>
    changeOutput(erp, 'products.changed', (hints, { cursor }) => ({ ...hints, more: cursor !== null })),
  'products.changed.damaged': (erp) =>
    replaceOperation(erp, 'products.changed', (input, run) =>
      run({ cursor: input.cursor?.startsWith('at-') ? input.cursor.slice(0, 5) : input.cursor }),
    ),
  'products.changed.none': (erp) => ({
    ...removeHints(erp),
    'products.changed': erp['products.changed'],
  }),
  'products.changed.followed': (_erp, atWork) => {
    // What is committed after its timestamp is older than every cursor that was returned in the meantime.
    const later = new Set<string>()
    return changeOutput(atWork, 'products.changed', (hints, { cursor }) => {
      const isFollowing = cursor !== null && later.has(cursor)
      if (cursor !== null) later.add(hints.cursor)
      return isFollowing ? { ...hints, product_codes: [] } : hints
    })
  },
  'products.changed.complete': (_erp, atWork) =>
    changeOutput(atWork, 'products.changed', (hints) => ({
      ...hints,
      product_codes: hints.product_codes.filter((code) => code === 'STYLE-10'),
    })),
}
