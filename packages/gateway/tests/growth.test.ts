import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OpenApi, Operation, Schema } from './growth.ts'
import { findBreaks, parseOpenApi } from './growth.ts'

type Case = [what: string, released: OpenApi, current: OpenApi, sentence: string]
type Growth = [what: string, released: OpenApi, current: OpenApi]

const TEXT: Schema = { type: 'string' }
const A_OR_B: Schema = { type: 'string', enum: ['a', 'b'] }
const A: Schema = { type: 'string', enum: ['a'] }
const FREE: Operation = { responses: { 200: {} } }

function buildApi(operation: Operation, rest: Omit<OpenApi, 'openapi' | 'paths'> = {}): OpenApi {
  return { openapi: '3.1.0', paths: { '/things': { post: operation } }, ...rest }
}

function buildJsonContent(schema: Schema) {
  return { content: { 'application/json': { schema } } }
}

function buildRequestApi(schema: Schema, schemas: Record<string, Schema> = {}): OpenApi {
  return buildApi({ requestBody: buildJsonContent(schema) }, { components: { schemas } })
}

function buildResponseApi(schema: Schema, schemas: Record<string, Schema> = {}): OpenApi {
  return buildApi({ responses: { 200: buildJsonContent(schema) } }, { components: { schemas } })
}

function buildFailureApi(
  responses: Operation['responses'] & object,
  schemas: Record<string, Schema> = {},
): OpenApi {
  return buildApi({ responses }, { components: { schemas } })
}

function buildQueryApi(name: string, required: boolean, schema: Schema = TEXT): OpenApi {
  return buildApi({ parameters: [{ in: 'query', name, required, schema }] })
}

function buildObjectSchema(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: 'object', properties, required }
}

const OPERATIONS: Case[] = [
  ['a removed path', buildApi(FREE), { openapi: '3.1.0', paths: {} }, 'POST /things is gone'],
  [
    'a removed method',
    buildApi(FREE),
    { openapi: '3.1.0', paths: { '/things': { get: FREE } } },
    'POST /things is gone',
  ],
  [
    'a public operation that becomes protected',
    buildApi({ ...FREE, security: [] }, { security: [{ bearer: [] }] }),
    buildApi(FREE, { security: [{ bearer: [] }] }),
    'POST /things was public and now needs a token',
  ],
  [
    'a token that was optional and is needed now',
    buildApi({ ...FREE, security: [{}, { bearer: [] }] }),
    buildApi({ ...FREE, security: [{ bearer: [] }] }),
    'POST /things was public and now needs a token',
  ],
  [
    'a removed parameter',
    buildQueryApi('page', false),
    buildApi({ parameters: [] }),
    'POST /things parameter query page is gone',
  ],
  [
    'a parameter that moved from the query to a header',
    buildQueryApi('page', false),
    buildApi({ parameters: [{ in: 'header', name: 'page' }] }),
    'POST /things parameter query page is gone',
  ],
  [
    'a removed parameter that the whole path had',
    { openapi: '3.1.0', paths: { '/things': { get: {}, parameters: [{ in: 'query', name: 'page' }] } } },
    { openapi: '3.1.0', paths: { '/things': { get: {} } } },
    'GET /things parameter query page is gone',
  ],
  [
    'a new parameter that is required',
    buildApi(FREE),
    buildApi({ ...FREE, parameters: [{ in: 'query', name: 'page', required: true }] }),
    'POST /things parameter query page is now required',
  ],
  [
    'a parameter that becomes required',
    buildQueryApi('page', false),
    buildQueryApi('page', true),
    'POST /things parameter query page is now required',
  ],
  [
    'a word that a parameter no longer takes',
    buildQueryApi('status', false, A_OR_B),
    buildQueryApi('status', false, A),
    'POST /things parameter query status has lost the word b',
  ],
  [
    'a shared parameter that becomes required',
    buildApi(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters: { Page: { in: 'query', name: 'page' } } } },
    ),
    buildApi(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters: { Page: { in: 'query', name: 'page', required: true } } } },
    ),
    'POST /things parameter query page is now required',
  ],
]

const REQUESTS: Case[] = [
  [
    'a parameter that takes whole numbers only',
    buildQueryApi('page', false, { type: 'number' }),
    buildQueryApi('page', false, { type: 'integer' }),
    'POST /things parameter query page no longer takes number',
  ],
  [
    'a request field that takes text instead of whole numbers',
    buildRequestApi(buildObjectSchema({ quantity: { type: 'integer' } })),
    buildRequestApi(buildObjectSchema({ quantity: TEXT })),
    'POST /things request .quantity no longer takes integer',
  ],
  [
    'a request field that takes records instead of text',
    buildRequestApi(buildObjectSchema({ shipping: TEXT })),
    buildRequestApi(
      buildObjectSchema({ shipping: { anyOf: [buildObjectSchema({}), buildObjectSchema({})] } }),
    ),
    'POST /things request .shipping no longer takes string',
  ],
  [
    'null that a request no longer takes, said in the list',
    buildRequestApi(buildObjectSchema({ kind: { enum: ['a', null] } })),
    buildRequestApi(buildObjectSchema({ kind: A })),
    'POST /things request .kind no longer takes null',
  ],
  [
    'a field of which two parts of a request speak',
    buildRequestApi(buildObjectSchema({ kind: TEXT })),
    buildRequestApi({ allOf: [buildObjectSchema({ kind: TEXT }), buildObjectSchema({ kind: A })] }),
    'POST /things request .kind now takes listed words',
  ],
  [
    'lines of which two parts of a request speak',
    buildRequestApi(buildObjectSchema({ kinds: { type: 'array', items: TEXT } })),
    buildRequestApi(buildObjectSchema({ kinds: { type: 'array', items: TEXT, allOf: [{ items: A }] } })),
    'POST /things request .kinds [] now takes listed words',
  ],
  [
    'a request field that is refused',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi(buildObjectSchema({ sku: false })),
    'POST /things request .sku is gone',
  ],
  [
    'a removed request body',
    buildRequestApi(buildObjectSchema({})),
    buildApi({}),
    'POST /things request is gone',
  ],
  [
    'a request body that becomes required',
    buildApi({ requestBody: buildJsonContent(buildObjectSchema({})) }),
    buildApi({ requestBody: { ...buildJsonContent(buildObjectSchema({})), required: true } }),
    'POST /things request is now required',
  ],
  [
    'a request body where there was none',
    buildApi({}),
    buildApi({ requestBody: { ...buildJsonContent(buildObjectSchema({})), required: true } }),
    'POST /things request is now required',
  ],
  [
    'a media type that is no longer taken',
    buildRequestApi(buildObjectSchema({})),
    buildApi({ requestBody: { content: { 'application/xml': { schema: buildObjectSchema({}) } } } }),
    'POST /things request: application/json is gone',
  ],
  [
    'a removed field of a shared request body',
    buildApi(
      { requestBody: { $ref: '#/components/requestBodies/Thing' } },
      { components: { requestBodies: { Thing: buildJsonContent(buildObjectSchema({ sku: TEXT })) } } },
    ),
    buildApi(
      { requestBody: { $ref: '#/components/requestBodies/Thing' } },
      { components: { requestBodies: { Thing: buildJsonContent(buildObjectSchema({})) } } },
    ),
    'POST /things request .sku is gone',
  ],
  [
    'a removed request field',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi(buildObjectSchema({})),
    'POST /things request .sku is gone',
  ],
  [
    'a request field that may hold nothing any more',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi(buildObjectSchema({ sku: { not: {} } })),
    'POST /things request .sku is gone',
  ],
  [
    'a removed field of a line of a request',
    buildRequestApi(buildObjectSchema({ lines: { type: 'array', items: buildObjectSchema({ sku: TEXT }) } })),
    buildRequestApi(buildObjectSchema({ lines: { type: 'array', items: buildObjectSchema({}) } })),
    'POST /things request .lines [] .sku is gone',
  ],
  [
    'a request field that no form has any more',
    buildRequestApi({
      anyOf: [buildObjectSchema({ client_id: TEXT }), buildObjectSchema({ username: TEXT })],
    }),
    buildRequestApi({
      anyOf: [buildObjectSchema({ client_id: TEXT }), buildObjectSchema({ account: TEXT })],
    }),
    'POST /things request .username is gone',
  ],
  [
    'a request field that becomes required',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    'POST /things request .sku is now required',
  ],
  [
    'a new request field that is required',
    buildRequestApi(buildObjectSchema({})),
    buildRequestApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    'POST /things request .sku is now required',
  ],
  [
    'a new required field where that of others is not stated',
    buildRequestApi({ type: 'object', properties: { sku: TEXT }, 'x-required-unstated': ['sku'] }),
    buildRequestApi(buildObjectSchema({ sku: TEXT, colour: TEXT }, ['sku', 'colour'])),
    'POST /things request .colour is now required',
  ],
  [
    'a field that all forms of a request require, though the request may also be null',
    buildRequestApi({
      oneOf: [buildObjectSchema({ sku: TEXT }, ['sku']), buildObjectSchema({ sku: TEXT }), { type: 'null' }],
    }),
    buildRequestApi({
      oneOf: [
        buildObjectSchema({ sku: TEXT }, ['sku']),
        buildObjectSchema({ sku: TEXT }, ['sku']),
        { type: 'null' },
      ],
    }),
    'POST /things request .sku is now required',
  ],
  [
    'a field that a part of a request requires',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi({ allOf: [buildObjectSchema({ sku: TEXT }), { required: ['sku'] }] }),
    'POST /things request .sku is now required',
  ],
  [
    'a word that a request no longer takes',
    buildRequestApi(buildObjectSchema({ kind: A_OR_B })),
    buildRequestApi(buildObjectSchema({ kind: A })),
    'POST /things request .kind has lost the word b',
  ],
  [
    'a word that no form of a request takes any more',
    buildRequestApi(buildObjectSchema({ kind: A_OR_B })),
    buildRequestApi({
      anyOf: [buildObjectSchema({ kind: { const: 'a' } }), buildObjectSchema({ kind: { const: 'c' } })],
    }),
    'POST /things request .kind has lost the word b',
  ],
  [
    'free text that becomes a list of words',
    buildRequestApi(buildObjectSchema({ kind: TEXT })),
    buildRequestApi(buildObjectSchema({ kind: A_OR_B })),
    'POST /things request .kind now takes listed words',
  ],
  [
    'a request field that takes whole numbers only',
    buildRequestApi(buildObjectSchema({ quantity: { type: 'number' } })),
    buildRequestApi(buildObjectSchema({ quantity: { type: 'integer' } })),
    'POST /things request .quantity no longer takes number',
  ],
  [
    'a request field that may no longer be null',
    buildRequestApi(buildObjectSchema({ sku: { type: ['string', 'null'] } })),
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    'POST /things request .sku no longer takes null',
  ],
  [
    'a request field whose parts leave less room',
    buildRequestApi(buildObjectSchema({ quantity: { type: 'number' } })),
    buildRequestApi(buildObjectSchema({ quantity: { allOf: [{ type: 'number' }, { type: 'integer' }] } })),
    'POST /things request .quantity no longer takes number',
  ],
]

const ANSWERS: Case[] = [
  [
    'a field that is gone and was always there, once',
    buildResponseApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    buildResponseApi(buildObjectSchema({})),
    'POST /things answer 200 .sku is gone',
  ],
  [
    'a removed field of a record without a type',
    buildResponseApi({ properties: { sku: TEXT } }),
    buildResponseApi({ required: [] }),
    'POST /things answer 200 .sku is gone',
  ],
  [
    'a removed field of rows that may also be null',
    buildResponseApi({ anyOf: [{ items: buildObjectSchema({ sku: TEXT }) }, { type: 'null' }] }),
    buildResponseApi({ anyOf: [{ items: buildObjectSchema({}) }, { type: 'null' }] }),
    'POST /things answer 200 [] .sku is gone',
  ],
  [
    'listed numbers that become any whole number',
    buildResponseApi(buildObjectSchema({ page: { enum: [1, 2] } })),
    buildResponseApi(buildObjectSchema({ page: { type: 'integer' } })),
    'POST /things answer 200 .page no longer keeps to listed words',
  ],
  [
    'a success that is gone',
    buildApi({ responses: { '2XX': {} } }),
    buildApi({ responses: { 302: {}, 404: {} } }),
    'POST /things answer 2XX is gone',
  ],
  [
    'a success with another status',
    buildApi({ responses: { 200: {} } }),
    buildApi({ responses: { 201: {} } }),
    'POST /things answer 200 is gone',
  ],
  [
    'a header that is gone',
    buildApi({ responses: { 200: { headers: { 'X-Stock-Version': {}, 'X-Request-Id': {} } } } }),
    buildApi({ responses: { 200: { headers: { 'X-Request-Id': {} } } } }),
    'POST /things answer 200: x-stock-version is gone',
  ],
  [
    'an answer without its body',
    buildResponseApi(buildObjectSchema({})),
    buildApi({ responses: { 200: {} } }),
    'POST /things answer 200: application/json is gone',
  ],
  [
    'a field that is gone from one of several successes',
    buildApi({ responses: { '2XX': buildJsonContent(buildObjectSchema({ data: {} })) } }),
    buildApi({
      responses: {
        200: buildJsonContent(buildObjectSchema({ data: {} })),
        202: buildJsonContent(buildObjectSchema({})),
      },
    }),
    'POST /things answer 202 .data is gone',
  ],
  [
    'a field that is gone from a shared answer',
    buildApi(
      { responses: { 200: { $ref: '#/components/responses/Thing' } } },
      { components: { responses: { Thing: buildJsonContent(buildObjectSchema({ data: {} })) } } },
    ),
    buildApi(
      { responses: { 200: { $ref: '#/components/responses/Thing' } } },
      { components: { responses: { Thing: buildJsonContent(buildObjectSchema({})) } } },
    ),
    'POST /things answer 200 .data is gone',
  ],
  [
    'a removed field of a row',
    buildResponseApi(
      buildObjectSchema({ data: { type: 'array', items: { $ref: '#/components/schemas/Row' } } }),
      {
        Row: buildObjectSchema({ sku: TEXT }),
      },
    ),
    buildResponseApi(
      buildObjectSchema({ data: { type: 'array', items: { $ref: '#/components/schemas/Row' } } }),
      {
        Row: buildObjectSchema({}),
      },
    ),
    'POST /things answer 200 .data [] .sku is gone',
  ],
  [
    'rows that may now be anything',
    buildResponseApi(buildObjectSchema({ data: { type: 'array', items: TEXT } })),
    buildResponseApi(buildObjectSchema({ data: { type: 'array' } })),
    'POST /things answer 200 .data [] may now be anything',
  ],
  [
    'rows that may be something else in one form of the answer',
    buildResponseApi(buildObjectSchema({ data: { type: 'array', items: TEXT } })),
    buildResponseApi(
      buildObjectSchema({
        data: {
          anyOf: [
            { type: 'array', items: TEXT },
            { type: 'array', items: { type: 'null' } },
          ],
        },
      }),
    ),
    'POST /things answer 200 .data [] may now be null',
  ],
  [
    'a field that was always there and no longer is',
    buildResponseApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    'POST /things answer 200 .sku is no longer always there',
  ],
  [
    'a field that only one form of the answer still has always',
    buildResponseApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    buildResponseApi({
      oneOf: [buildObjectSchema({ sku: TEXT }, ['sku']), buildObjectSchema({ code: TEXT }, ['code'])],
    }),
    'POST /things answer 200 .sku is no longer always there',
  ],
  [
    'a field of another type',
    buildResponseApi(buildObjectSchema({ paid: { type: 'boolean' } })),
    buildResponseApi(buildObjectSchema({ paid: TEXT })),
    'POST /things answer 200 .paid may now be string',
  ],
  [
    'a whole number that may now be any',
    buildResponseApi(buildObjectSchema({ quantity: { type: 'integer' } })),
    buildResponseApi(buildObjectSchema({ quantity: { type: 'number' } })),
    'POST /things answer 200 .quantity may now be number',
  ],
  [
    'a field that may now be null, said by a type array',
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    buildResponseApi(buildObjectSchema({ sku: { type: ['string', 'null'] } })),
    'POST /things answer 200 .sku may now be null',
  ],
  [
    'a field that may now be null, said by anyOf',
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    buildResponseApi(buildObjectSchema({ sku: { anyOf: [TEXT, { type: 'null' }] } })),
    'POST /things answer 200 .sku may now be null',
  ],
  [
    'a record that may now be null, whose fields are compared all the same',
    buildResponseApi(
      buildObjectSchema({ recipient: { anyOf: [buildObjectSchema({ name: TEXT }), { type: 'null' }] } }),
    ),
    buildResponseApi(buildObjectSchema({ recipient: { anyOf: [buildObjectSchema({}), { type: 'null' }] } })),
    'POST /things answer 200 .recipient .name is gone',
  ],
  [
    'a word that may now be null, said in the list',
    buildResponseApi(buildObjectSchema({ kind: A })),
    buildResponseApi(buildObjectSchema({ kind: { enum: ['a', null] } })),
    'POST /things answer 200 .kind may now be null',
  ],
  [
    'a field that may now be anything',
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    buildResponseApi(buildObjectSchema({ sku: {} })),
    'POST /things answer 200 .sku may now be anything',
  ],
  [
    'a field that may be anything in one form',
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    buildResponseApi(buildObjectSchema({ sku: { anyOf: [TEXT, {}] } })),
    'POST /things answer 200 .sku may now be anything',
  ],
  [
    'a word that an answer no longer holds',
    buildResponseApi(buildObjectSchema({ status: A_OR_B })),
    buildResponseApi(buildObjectSchema({ status: A })),
    'POST /things answer 200 .status has lost the word b',
  ],
  [
    'a list of words that becomes free text',
    buildResponseApi(buildObjectSchema({ status: A })),
    buildResponseApi(buildObjectSchema({ status: TEXT })),
    'POST /things answer 200 .status no longer keeps to listed words',
  ],
  [
    'a list of words that is free text in one form',
    buildResponseApi(buildObjectSchema({ status: A })),
    buildResponseApi(buildObjectSchema({ status: { anyOf: [A, TEXT] } })),
    'POST /things answer 200 .status no longer keeps to listed words',
  ],
  [
    'a list of words of which a part leaves fewer',
    buildResponseApi(buildObjectSchema({ status: A_OR_B })),
    buildResponseApi(buildObjectSchema({ status: { allOf: [A_OR_B, A] } })),
    'POST /things answer 200 .status has lost the word b',
  ],
]

const FAILURES: Case[] = [
  [
    'a failure that only successes are left of',
    buildFailureApi({ 404: {} }),
    buildFailureApi({ 200: {} }),
    'POST /things answer 404 is gone',
  ],
  [
    'a success that only failures are left of',
    buildFailureApi({ 200: {} }),
    buildFailureApi({ default: {} }),
    'POST /things answer 200 is gone',
  ],
  [
    'failures that are no longer described',
    buildFailureApi({ default: buildJsonContent(buildObjectSchema({ error: {} })) }),
    buildFailureApi({ 200: {} }),
    'POST /things answer default is gone',
  ],
  [
    'a field that is gone from one failure',
    buildFailureApi({ default: buildJsonContent(buildObjectSchema({ error: {} })) }),
    buildFailureApi({
      '4XX': buildJsonContent(buildObjectSchema({ error: {} })),
      503: buildJsonContent(buildObjectSchema({})),
    }),
    'POST /things answer 503 .error is gone',
  ],
  [
    'a removed error code',
    buildFailureApi({}, { ErrorCode: A_OR_B }),
    buildFailureApi({}, { ErrorCode: A }),
    'the list ErrorCode has lost b',
  ],
  [
    'a removed list of error codes',
    buildFailureApi({}, { ErrorCode: A }),
    buildApi({}),
    'the list ErrorCode is gone',
  ],
  [
    'error codes that are no longer listed',
    buildFailureApi({}, { ErrorCode: A }),
    buildFailureApi({}, { ErrorCode: TEXT }),
    'the list ErrorCode is gone',
  ],
  [
    'a removed word of a list that no operation uses yet',
    buildFailureApi({}, { PaymentMethod: A_OR_B }),
    buildFailureApi({}, { PaymentMethod: A }),
    'the list PaymentMethod has lost b',
  ],
]

const GROWTH: Growth[] = [
  [
    'a schema for an answer',
    buildApi({ responses: { 200: { content: { 'application/json': {} } } } }),
    buildResponseApi(TEXT),
  ],
  [
    'a parameter without a schema',
    buildQueryApi('page', false),
    buildApi({ parameters: [{ in: 'query', name: 'page' }] }),
  ],
  [
    'a schema for a parameter',
    buildApi({ parameters: [{ in: 'query', name: 'page' }] }),
    buildQueryApi('page', false),
  ],
  ['a parameter that takes any word', buildQueryApi('status', false, A), buildQueryApi('status', false)],
  [
    'a request without a schema',
    buildRequestApi(TEXT),
    buildApi({ requestBody: { content: { 'application/json': {} } } }),
  ],
  [
    'a schema for a request',
    buildApi({ requestBody: { content: { 'application/json': {} } } }),
    buildRequestApi(TEXT),
  ],
  [
    'a request of which one form is open',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi({ anyOf: [buildObjectSchema({ sku: TEXT, code: TEXT }, ['sku', 'code']), true] }),
  ],
  [
    'listed numbers where any whole number could be',
    buildResponseApi(buildObjectSchema({ page: { type: 'integer' } })),
    buildResponseApi(buildObjectSchema({ page: { enum: [1, 2] } })),
  ],
  [
    'a list of words where text was named',
    buildFailureApi({}, { Kind: TEXT }),
    buildFailureApi({}, { Kind: A }),
  ],
  ['a new path', { openapi: '3.1.0' }, buildApi(FREE)],
  [
    'a protected operation that becomes public',
    buildApi({ security: [{ bearer: [] }] }),
    buildApi({ security: [] }),
  ],
  [
    'another name for the token',
    buildApi({ security: [{ bearer: [] }] }),
    buildApi({ security: [{ token: [] }] }),
  ],
  ['a new optional parameter', buildApi({}), buildQueryApi('page', false)],
  ['a required parameter that becomes optional', buildQueryApi('page', true), buildQueryApi('page', false)],
  ['a parameter that stays required', buildQueryApi('page', true), buildQueryApi('page', true)],
  [
    'a parameter that moves from the path to its operation',
    { openapi: '3.1.0', paths: { '/things': { get: {}, parameters: [{ in: 'query', name: 'page' }] } } },
    { openapi: '3.1.0', paths: { '/things': { get: { parameters: [{ in: 'query', name: 'page' }] } } } },
  ],
  [
    'a header parameter in other letters',
    buildApi({ parameters: [{ in: 'header', name: 'Idempotency-Key' }] }),
    buildApi({ parameters: [{ in: 'header', name: 'idempotency-key' }] }),
  ],
  ['a new word for a parameter', buildQueryApi('status', false, A), buildQueryApi('status', false, A_OR_B)],
  ['a new optional request body', buildApi({}), buildRequestApi(buildObjectSchema({}))],
  [
    'a required request body that becomes optional',
    buildApi({ requestBody: { ...buildJsonContent(buildObjectSchema({})), required: true } }),
    buildRequestApi(buildObjectSchema({})),
  ],
  [
    'a new optional request field',
    buildRequestApi(buildObjectSchema({})),
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
  ],
  [
    'a new optional record with a required field',
    buildRequestApi(buildObjectSchema({})),
    buildRequestApi(buildObjectSchema({ recipient: buildObjectSchema({ name: TEXT }, ['name']) })),
  ],
  [
    'a request field that becomes optional',
    buildRequestApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
  ],
  [
    'a required field of which it was not stated',
    buildRequestApi({ type: 'object', properties: { sku: TEXT }, 'x-required-unstated': ['sku'] }),
    buildRequestApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
  ],
  [
    'a new form of a request',
    buildRequestApi(buildObjectSchema({ client_id: TEXT }, ['client_id'])),
    buildRequestApi({
      oneOf: [
        buildObjectSchema({ client_id: TEXT }, ['client_id']),
        buildObjectSchema({ username: TEXT }, ['username']),
      ],
    }),
  ],
  [
    'a field that one form of a request refuses',
    buildRequestApi(buildObjectSchema({ client_id: TEXT })),
    buildRequestApi({
      oneOf: [
        buildObjectSchema({ client_id: TEXT }),
        buildObjectSchema({ client_id: { not: {} }, username: TEXT }),
      ],
    }),
  ],
  [
    'a new word for a request',
    buildRequestApi(buildObjectSchema({ kind: A })),
    buildRequestApi(buildObjectSchema({ kind: A_OR_B })),
  ],
  [
    'a request that takes any word',
    buildRequestApi(buildObjectSchema({ kind: A })),
    buildRequestApi(buildObjectSchema({ kind: TEXT })),
  ],
  [
    'a request that takes a record or a word',
    buildRequestApi(buildObjectSchema({ kind: buildObjectSchema({}) })),
    buildRequestApi(buildObjectSchema({ kind: { anyOf: [buildObjectSchema({}), A] } })),
  ],
  [
    'a request that takes any number',
    buildRequestApi(buildObjectSchema({ quantity: { type: 'integer' } })),
    buildRequestApi(buildObjectSchema({ quantity: { type: 'number' } })),
  ],
  [
    'a request that takes null',
    buildRequestApi(buildObjectSchema({ sku: TEXT })),
    buildRequestApi(buildObjectSchema({ sku: { type: ['string', 'null'] } })),
  ],
  [
    'a request that takes anything',
    buildRequestApi(buildObjectSchema({ sku: buildObjectSchema({ code: TEXT }) })),
    buildRequestApi(buildObjectSchema({ sku: {} })),
  ],
  [
    'a type for what was open in a request',
    buildRequestApi(buildObjectSchema({ sku: {} })),
    buildRequestApi(buildObjectSchema({ sku: A })),
  ],
  [
    'a new answer field',
    buildResponseApi(buildObjectSchema({})),
    buildResponseApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
  ],
  [
    'a field that now is always there',
    buildResponseApi(buildObjectSchema({ sku: TEXT })),
    buildResponseApi(buildObjectSchema({ sku: TEXT }, ['sku'])),
  ],
  [
    'a type for what was open in an answer',
    buildResponseApi(buildObjectSchema({ sku: {} })),
    buildResponseApi(buildObjectSchema({ sku: A })),
  ],
  [
    'null for what was open in an answer',
    buildResponseApi(buildObjectSchema({ sku: true })),
    buildResponseApi(buildObjectSchema({ sku: { anyOf: [TEXT, { type: 'null' }] } })),
  ],
  [
    'an answer that holds whole numbers only',
    buildResponseApi(buildObjectSchema({ quantity: { type: 'number' } })),
    buildResponseApi(buildObjectSchema({ quantity: { type: 'integer' } })),
  ],
  [
    'an answer that is never null any more',
    buildResponseApi(
      buildObjectSchema({ recipient: { type: ['object', 'null'], properties: { name: TEXT } } }),
    ),
    buildResponseApi(buildObjectSchema({ recipient: buildObjectSchema({ name: TEXT }) })),
  ],
  [
    'an answer that is a record no more where it was a record or text',
    buildResponseApi(
      buildObjectSchema({ recipient: { anyOf: [buildObjectSchema({ name: TEXT }, ['name']), TEXT] } }),
    ),
    buildResponseApi(buildObjectSchema({ recipient: TEXT })),
  ],
  [
    'a new word in an answer',
    buildResponseApi(buildObjectSchema({ status: A })),
    buildResponseApi(buildObjectSchema({ status: A_OR_B })),
  ],
  [
    'an answer that keeps to words',
    buildResponseApi(buildObjectSchema({ status: TEXT })),
    buildResponseApi(buildObjectSchema({ status: A })),
  ],
  [
    'null said in a list instead of beside it',
    buildResponseApi(buildObjectSchema({ status: { anyOf: [A, { type: 'null' }] } })),
    buildResponseApi(buildObjectSchema({ status: { enum: ['a', null] } })),
  ],
  [
    'words said one by one instead of in a list',
    buildResponseApi(buildObjectSchema({ status: A_OR_B })),
    buildResponseApi(buildObjectSchema({ status: { oneOf: [{ const: 'a' }, { const: 'b' }] } })),
  ],
  [
    'a record said in parts instead of at once',
    buildResponseApi(buildObjectSchema({ sku: TEXT, code: TEXT }, ['sku'])),
    buildResponseApi(
      { allOf: [buildObjectSchema({ sku: TEXT }, ['sku']), { $ref: '#/components/schemas/Coded' }] },
      {
        Coded: { properties: { code: TEXT } },
      },
    ),
  ],
  [
    'words beside a reference',
    buildResponseApi(buildObjectSchema({ status: A })),
    buildResponseApi(buildObjectSchema({ status: { $ref: '#/components/schemas/Text', enum: ['a'] } }), {
      Text: TEXT,
    }),
  ],
  [
    'a new header',
    buildApi({ responses: { 200: { headers: { 'X-A': {} } } } }),
    buildApi({ responses: { 200: { headers: { 'x-a': {}, 'X-B': {} } } } }),
  ],
  [
    'a number for a range',
    buildApi({ responses: { '2XX': {} } }),
    buildApi({ responses: { 201: {}, 404: {} } }),
  ],
  ['a range for a number', buildApi({ responses: { 200: {} } }), buildApi({ responses: { '2XX': {} } })],
  ['a default for a failure', buildApi({ responses: { 404: {} } }), buildApi({ responses: { default: {} } })],
  [
    'failures told one by one, each with its own codes',
    buildFailureApi({ default: buildJsonContent(buildObjectSchema({ code: A_OR_B })) }),
    buildFailureApi({
      404: buildJsonContent(buildObjectSchema({ code: A })),
      '5XX': buildJsonContent(buildObjectSchema({ code: { const: 'b' } })),
    }),
  ],
  ['a new error code', buildFailureApi({}, { ErrorCode: A }), buildFailureApi({}, { ErrorCode: A_OR_B })],
  ['another name for a list of words', buildFailureApi({}, { Kind: A }), buildFailureApi({}, {})],
  [
    'an optional token',
    buildApi({ ...FREE, security: [] }),
    buildApi({ ...FREE, security: [{ bearer: [] }, {}] }),
  ],
]

describe('breaks', () => {
  it.each([...OPERATIONS, ...REQUESTS, ...ANSWERS, ...FAILURES])(
    'reports %s',
    (_what, released, current, sentence) => {
      expect(findBreaks(released, current)).toEqual([sentence])
    },
  )

  it.each(GROWTH)('passes %s', (_what, released, current) => {
    expect(findBreaks(released, current)).toEqual([])
  })

  it('reports each type of which a field may now be', () => {
    const current = buildResponseApi({ type: ['boolean', 'null', 'string'] })
    expect(findBreaks(buildResponseApi(TEXT), current)).toHaveLength(2)
  })

  it('compares rows within rows', () => {
    const nestDeeply = (innermost: Schema) =>
      buildResponseApi(
        Array.from({ length: 15 }).reduce<Schema>(
          (items) => ({ allOf: [{ type: 'array', items }] }),
          innermost,
        ),
      )
    expect(findBreaks(nestDeeply(TEXT), nestDeeply(TEXT))).toEqual([])
    expect(findBreaks(nestDeeply(TEXT), nestDeeply(buildObjectSchema({})))).toHaveLength(1)
  })

  it('ends on a record that holds itself, and says so', () => {
    const nested = buildResponseApi(
      { $ref: '#/components/schemas/Node' },
      {
        Node: buildObjectSchema({ next: { $ref: '#/components/schemas/Node' } }),
      },
    )
    expect(findBreaks(nested, nested)).toEqual([
      expect.stringMatching(/\.next is nested too deep to be compared$/),
    ])
  })

  it('refuses a reference that leads nowhere or round in a circle', () => {
    const nowhere = buildResponseApi({ $ref: '#/components/schemas/Gone' })
    const elsewhere = buildResponseApi({ $ref: 'https://example.com/schemas/Node' }, { Node: TEXT })
    const circle = buildResponseApi(
      { $ref: '#/components/schemas/Node' },
      {
        Node: { $ref: '#/components/schemas/Node' },
      },
    )
    const parameters = { Page: { $ref: '#/components/parameters/Page' } }
    const shared = buildApi(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters } },
    )
    expect(() => findBreaks(nowhere, nowhere)).toThrow('#/components/schemas/Gone leads nowhere')
    expect(() => findBreaks(elsewhere, elsewhere)).toThrow('leads nowhere')
    expect(() => findBreaks(circle, circle)).toThrow('composed too deeply')
    expect(() => findBreaks(shared, shared)).toThrow('leads round in a circle')
  })
})

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** The time limit for about 300 comparisons of whole documents, which take 2 s on an idle machine. */
const COMPARING_MANY_MS = 30_000

/** The keywords whose listed entries clients may rely on. */
const PROMISING = ['paths', 'parameters', 'headers', 'responses', 'content', 'properties', 'enum']

/** Yields copies of an OpenAPI document. Each copy lacks one entry of a keyword in `PROMISING`. */
function* removeEachPart(node: Json, under: string, where: string): Generator<[where: string, less: Json]> {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const [at, child] of node.entries()) {
      if (PROMISING.includes(under)) yield [`${where}/${at}`, node.toSpliced(at, 1)]
      for (const [spot, less] of removeEachPart(child, '', `${where}/${at}`))
        yield [spot, node.with(at, less)]
    }
    return
  }
  for (const [name, child] of Object.entries(node)) {
    const { [name]: _left, ...others } = node
    if (PROMISING.includes(under)) yield [`${where}/${name}`, others]
    // Within a list of names, a name is not a keyword: a field may be named "content".
    const keyword = PROMISING.includes(under) ? '' : name
    for (const [spot, less] of removeEachPart(child, keyword, `${where}/${name}`)) {
      yield [spot, { ...node, [name]: less }]
    }
  }
}

describe('1.4.0', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../released/1.4.0.json'), 'utf8')
  const released = parseOpenApi(text)

  it('does not break itself', () => {
    expect(findBreaks(released, released)).toEqual([])
  })

  it(
    'is guarded in every operation, parameter, header, answer, field and word',
    () => {
      const document: Json = JSON.parse(text)
      // Shared components are left out. They are checked where they are used; if one is missing, the references to it
      // are broken.
      const isShared = (where: string) => /^\/components\/\w+\/[^/]+$/.test(where)
      const copies = [...removeEachPart(document, '', '')].filter(([where]) => !isShared(where))
      const unguarded = copies.filter(
        ([, less]) => findBreaks(released, parseOpenApi(JSON.stringify(less))).length === 0,
      )
      expect(copies.length).toBeGreaterThan(200)
      expect(unguarded.map(([where]) => where)).toEqual([])
    },
    COMPARING_MANY_MS,
  )
})
