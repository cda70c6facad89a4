import { type Erp, rejected } from '@trade-gateway/connector'

/**
 * The customers: their addresses, what they may order, and the sign-in of their accounts. This connector knows no
 * customer yet, and an unknown customer is refused with `not_found`.
 */
export const readCustomers: Pick<Erp, 'addresses' | 'sellable' | 'sign_in'> = {
  addresses: async ({ customer_code }) => rejectUnknown(customer_code),
  sellable: async ({ customer_code }) => rejectUnknown(customer_code),
  sign_in: async () => rejected('not_supported', 'This connector does not sign customers in.'),
}

function rejectUnknown(customer_code: string) {
  return rejected('not_found', `There is no customer ${customer_code}.`)
}
