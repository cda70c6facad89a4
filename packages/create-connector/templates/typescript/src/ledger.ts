import { type Erp, rejected } from '@trade-gateway/connector'

const refuse = async () => rejected('not_supported', 'This connector reads no accounts yet.')

/** The statements of customers. Replace the five operations together, and set the capability `ledger`. */
export const readLedger: Pick<Erp, 'balances' | 'transactions' | 'bills' | 'refunds' | 'freight_bills'> = {
  balances: refuse,
  transactions: refuse,
  bills: refuse,
  refunds: refuse,
  freight_bills: refuse,
}
