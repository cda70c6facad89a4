/** Calls of Vendure's Admin API. */
import { z } from 'zod'
import { sendRead } from './system.ts'
import { superadmin } from './vendure-install.ts'

const tokenHeader = 'vendure-auth-token'
const jsonHeaders = { 'content-type': 'application/json' } as const
const signInQuery = `mutation ($identifier: String!, $password: String!) {
  login(username: $identifier, password: $password) { __typename }
}`

export interface VendureApi {
  /** The headers of a request of the superadmin. */
  readonly headers: Readonly<Record<string, string>>
  /** Sends a document and returns its data. Throws if Vendure reports an error. */
  call<T>(query: string, variables: object, schema: z.ZodType<T>): Promise<T>
}

/** Signs in as superadmin. */
export async function openVendureApi(url: string): Promise<VendureApi> {
  const post = (headers: Readonly<Record<string, string>>, query: string, variables: object) =>
    sendRead('Vendure', { url, method: 'POST', headers, body: JSON.stringify({ query, variables }) })
  const signedIn = await post(jsonHeaders, signInQuery, superadmin)
  const token = z.string().parse(signedIn.headers[tokenHeader])
  const headers = { ...jsonHeaders, authorization: `Bearer ${token}` }
  return {
    headers,
    async call(query, variables, schema) {
      const { body } = await post(headers, query, variables)
      return z.object({ data: schema }).parse(JSON.parse(body.toString())).data
    },
  }
}
