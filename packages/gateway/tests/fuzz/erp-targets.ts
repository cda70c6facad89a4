/** The files of an ERP's staff. */
import { openSandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import fc from 'fast-check'
import { applyMovementsCsv, MalformedMovements } from '../../../sandbox-erp/src/movements-csv.ts'
import { type FuzzTarget, soupOf } from './target.ts'

export const movements: FuzzTarget<string> = {
  name: 'movements-csv',
  inputs: fc
    .tuple(
      fc.constantFrom('warehouse_code,sku,quantity\n', 'sku,quantity,warehouse_code,withdrawn\r\n', ''),
      soupOf([
        'AUSYD1',
        'SBX-OOS',
        ',',
        '\n',
        '\r\n',
        '"',
        '""',
        '1',
        '-5',
        '9'.repeat(13),
        '1e3',
        ';',
        '\ufeff',
      ]),
    )
    .map((parts) => parts.join('')),
  async open() {
    const sandbox = await openSandboxErp({
      path: ':memory:',
      catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 2, today: '2026-11-21' }),
      catalogue_id: 'fuzz',
      accounts: [],
    })
    return {
      check(text) {
        try {
          applyMovementsCsv(sandbox.store, Buffer.from(text))
        } catch (error) {
          if (!(error instanceof MalformedMovements)) throw error
        }
      },
      close: async () => sandbox.close(),
    }
  },
}
