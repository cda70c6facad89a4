import { type Erp, ok } from '@trade-gateway/connector'

/**
 * What the ERP can do. A correct "no" makes the gateway slower or more careful; a wrong "yes" loses orders. Change a
 * value only when the operations behind it keep their rules.
 */
export const describeErp: Pick<Erp, 'describe'> = {
  describe: async () =>
    ok({
      name: 'My ERP',
      sandbox: false,
      capabilities: {
        dedupes_by_reference: false,
        lookup: 'none',
        lookup_lag_ms: 0,
        max_request_ms: 60_000,
        changes: 'none',
        stock_seq: false,
        holds: 'none',
        serialise: 'everything',
        ledger: false,
        sign_in: false,
        settles: false,
        hint_lag_ms: 0,
        allocates_from: 'one',
        max_lines: 500,
      },
    }),
}
