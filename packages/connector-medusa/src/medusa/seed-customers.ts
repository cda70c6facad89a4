/** Customers with a login, their addresses, and the group whose members buy at wholesale prices. */
import { z } from 'zod'
import type { MedusaHttp } from '../http.ts'
import { customerPassword, customers, type SeededCustomer, wholesaleGroup } from './settings.ts'

const anything = z.unknown()
const withId = z.object({ id: z.string() })

/** Creates the group of wholesale customers and returns its id. */
export async function seedGroup(http: MedusaHttp): Promise<string> {
  const { customer_group } = await http.post('/admin/customer-groups', z.object({ customer_group: withId }), {
    name: wholesaleGroup,
  })
  return customer_group.id
}

/** Registers the customers in the way in which a shop does it. */
export async function seedCustomers(
  http: MedusaHttp,
  { groupId, publishableKey }: { readonly groupId: string; readonly publishableKey: string },
): Promise<void> {
  for (const customer of customers) await seedCustomer(http, customer, { groupId, publishableKey })
}

async function seedCustomer(
  http: MedusaHttp,
  { name, email, isWholesale, addresses }: SeededCustomer,
  { groupId, publishableKey }: { readonly groupId: string; readonly publishableKey: string },
): Promise<void> {
  const { token } = await http.post('/auth/customer/emailpass/register', z.object({ token: z.string() }), {
    email,
    password: customerPassword,
  })
  const { customer } = await http.send({
    method: 'POST',
    path: '/store/customers',
    schema: z.object({ customer: withId }),
    headers: { authorization: `Bearer ${token}`, 'x-publishable-api-key': publishableKey },
    body: { email, company_name: name, first_name: name.split(' ')[0], last_name: name.split(' ')[1] },
  })
  for (const [index, { city, street, state, postalCode }] of addresses.entries()) {
    await http.post(`/admin/customers/${customer.id}/addresses`, anything, {
      address_name: `${name} ${city}`,
      is_default_shipping: index === 0,
      is_default_billing: index === 0,
      company: name,
      first_name: 'Alex',
      last_name: 'Lee',
      phone: '+61255501234',
      address_1: street,
      city,
      province: state,
      postal_code: postalCode,
      country_code: 'au',
    })
  }
  if (isWholesale)
    await http.post(`/admin/customer-groups/${groupId}/customers`, anything, { add: [customer.id] })
}
