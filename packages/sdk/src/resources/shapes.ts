/** The types of each endpoint, by its id in the contract. */

import type { components, operations as contract } from '../generated/contract.ts'
import type { OperationId } from '../generated/operations.ts'

/** The documents and rows of the contract, such as `Schemas['DropshipOrder']`. */
export type Schemas = components['schemas']

type Responses<Id extends OperationId> = contract[Id]['responses']
type Success<Id extends OperationId> =
  Responses<Id> extends { 200: infer Found }
    ? Found
    : Responses<Id> extends { 201: infer Made }
      ? Made
      : never

/** The whole body of a success. */
export type Result<Id extends OperationId> =
  Success<Id> extends {
    content: { 'application/json': infer Body }
  }
    ? Body
    : never

/** The member `data` of a success. */
export type Data<Id extends OperationId> = Result<Id> extends { data: infer Found } ? Found : never

/** A row of a list. */
export type Row<Id extends OperationId> = Data<Id> extends readonly (infer Each)[] ? Each : never

/** The filters and sizes of an endpoint. Enums are closed, so that a mistyped word does not compile. */
export type Query<Id extends OperationId> = contract[Id]['parameters'] extends { query?: infer Sent }
  ? NonNullable<Sent>
  : never

/** The filters of a list. The place in the list is the SDK's. */
export type Filters<Id extends OperationId> = Omit<Query<Id>, 'page' | 'as_of' | 'cursor'>

/** The body of a write. */
export type Sent<Id extends OperationId> = contract[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : never
