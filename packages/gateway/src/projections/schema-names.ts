/**
 * The names of the bodies of an operation, such as `AdminRequestsListResponse`. The
 * console's types are generated from these names.
 */

import type { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'

/** Returns the name of the body that an operation takes. */
export function toRequestName(operationId: string): string {
  return `${toPascalCase(operationId)}Request`
}

/** Returns the name of the body that an operation returns. */
export function toResponseName(operationId: string): string {
  return `${toPascalCase(operationId)}Response`
}

/** Names a schema, unless its declaration has named it. A schema with a name becomes a component of the document. */
function nameSchema<T extends z.ZodType>(schema: T, name: string): T {
  const meta = schema.meta()
  return meta?.id === undefined ? schema.meta({ ...meta, id: name }) : schema
}

/** Gives names to the bodies that an endpoint takes and returns. */
export function nameBodies(endpoint: Endpoint): Endpoint {
  const { id, body, result } = endpoint
  return {
    ...endpoint,
    ...(body ? { body: nameSchema(body, toRequestName(id)) } : {}),
    result: nameSchema(result, toResponseName(id)),
  }
}

function toPascalCase(operationId: string): string {
  return operationId.replace(/(?:^|[._])([a-z])/g, (_whole, letter: string) => letter.toUpperCase())
}
