/** Re-exported from the connector, so that only one place defines minor units by ISO 4217. */
export { amountOf, minorUnits } from '@trade-gateway/connector'
