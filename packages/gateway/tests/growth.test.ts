import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OpenApi, Operation, Schema } from './growth.ts'
import { breaks, openApiFrom } from './growth.ts'

type Case = [what: string, released: OpenApi, current: OpenApi, sentence: string]
type Growth = [what: string, released: OpenApi, current: OpenApi]

const TEXT: Schema = { type: 'string' }
const A_OR_B: Schema = { type: 'string', enum: ['a', 'b'] }
const A: Schema = { type: 'string', enum: ['a'] }
const FREE: Operation = { responses: { 200: {} } }

function api(operation: Operation, rest: Omit<OpenApi, 'openapi' | 'paths'> = {}): OpenApi {
  return { openapi: '3.1.0', paths: { '/things': { post: operation } }, ...rest }
}

function json(schema: Schema) {
  return { content: { 'application/json': { schema } } }
}

function taking(schema: Schema, schemas: Record<string, Schema> = {}): OpenApi {
  return api({ requestBody: json(schema) }, { components: { schemas } })
}

function answering(schema: Schema, schemas: Record<string, Schema> = {}): OpenApi {
  return api({ responses: { 200: json(schema) } }, { components: { schemas } })
}

function failing(responses: Operation['responses'] & object, schemas: Record<string, Schema> = {}): OpenApi {
  return api({ responses }, { components: { schemas } })
}

function withQuery(name: string, required: boolean, schema: Schema = TEXT): OpenApi {
  return api({ parameters: [{ in: 'query', name, required, schema }] })
}

function record(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: 'object', properties, required }
}

const OPERATIONS: Case[] = [
  ['a removed path', api(FREE), { openapi: '3.1.0', paths: {} }, 'POST /things is gone'],
  [
    'a removed method',
    api(FREE),
    { openapi: '3.1.0', paths: { '/things': { get: FREE } } },
    'POST /things is gone',
  ],
  [
    'a public operation that becomes protected',
    api({ ...FREE, security: [] }, { security: [{ bearer: [] }] }),
    api(FREE, { security: [{ bearer: [] }] }),
    'POST /things was public and now needs a token',
  ],
  [
    'a token that was optional and is needed now',
    api({ ...FREE, security: [{}, { bearer: [] }] }),
    api({ ...FREE, security: [{ bearer: [] }] }),
    'POST /things was public and now needs a token',
  ],
  [
    'a removed parameter',
    withQuery('page', false),
    api({ parameters: [] }),
    'POST /things parameter query page is gone',
  ],
  [
    'a parameter that moved from the query to a header',
    withQuery('page', false),
    api({ parameters: [{ in: 'header', name: 'page' }] }),
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
    api(FREE),
    api({ ...FREE, parameters: [{ in: 'query', name: 'page', required: true }] }),
    'POST /things parameter query page is now required',
  ],
  [
    'a parameter that becomes required',
    withQuery('page', false),
    withQuery('page', true),
    'POST /things parameter query page is now required',
  ],
  [
    'a word that a parameter no longer takes',
    withQuery('status', false, A_OR_B),
    withQuery('status', false, A),
    'POST /things parameter query status has lost the word b',
  ],
  [
    'a shared parameter that becomes required',
    api(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters: { Page: { in: 'query', name: 'page' } } } },
    ),
    api(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters: { Page: { in: 'query', name: 'page', required: true } } } },
    ),
    'POST /things parameter query page is now required',
  ],
]

const REQUESTS: Case[] = [
  [
    'a parameter that takes whole numbers only',
    withQuery('page', false, { type: 'number' }),
    withQuery('page', false, { type: 'integer' }),
    'POST /things parameter query page no longer takes number',
  ],
  [
    'a request field that takes text instead of whole numbers',
    taking(record({ quantity: { type: 'integer' } })),
    taking(record({ quantity: TEXT })),
    'POST /things request .quantity no longer takes integer',
  ],
  [
    'a request field that takes records instead of text',
    taking(record({ shipping: TEXT })),
    taking(record({ shipping: { anyOf: [record({}), record({})] } })),
    'POST /things request .shipping no longer takes string',
  ],
  [
    'null that a request no longer takes, said in the list',
    taking(record({ kind: { enum: ['a', null] } })),
    taking(record({ kind: A })),
    'POST /things request .kind no longer takes null',
  ],
  [
    'a field of which two parts of a request speak',
    taking(record({ kind: TEXT })),
    taking({ allOf: [record({ kind: TEXT }), record({ kind: A })] }),
    'POST /things request .kind now takes listed words',
  ],
  [
    'lines of which two parts of a request speak',
    taking(record({ kinds: { type: 'array', items: TEXT } })),
    taking(record({ kinds: { type: 'array', items: TEXT, allOf: [{ items: A }] } })),
    'POST /things request .kinds [] now takes listed words',
  ],
  [
    'a request field that is refused',
    taking(record({ sku: TEXT })),
    taking(record({ sku: false })),
    'POST /things request .sku is gone',
  ],
  ['a removed request body', taking(record({})), api({}), 'POST /things request is gone'],
  [
    'a request body that becomes required',
    api({ requestBody: json(record({})) }),
    api({ requestBody: { ...json(record({})), required: true } }),
    'POST /things request is now required',
  ],
  [
    'a request body where there was none',
    api({}),
    api({ requestBody: { ...json(record({})), required: true } }),
    'POST /things request is now required',
  ],
  [
    'a media type that is no longer taken',
    taking(record({})),
    api({ requestBody: { content: { 'application/xml': { schema: record({}) } } } }),
    'POST /things request: application/json is gone',
  ],
  [
    'a removed field of a shared request body',
    api(
      { requestBody: { $ref: '#/components/requestBodies/Thing' } },
      { components: { requestBodies: { Thing: json(record({ sku: TEXT })) } } },
    ),
    api(
      { requestBody: { $ref: '#/components/requestBodies/Thing' } },
      { components: { requestBodies: { Thing: json(record({})) } } },
    ),
    'POST /things request .sku is gone',
  ],
  [
    'a removed request field',
    taking(record({ sku: TEXT })),
    taking(record({})),
    'POST /things request .sku is gone',
  ],
  [
    'a request field that may hold nothing any more',
    taking(record({ sku: TEXT })),
    taking(record({ sku: { not: {} } })),
    'POST /things request .sku is gone',
  ],
  [
    'a removed field of a line of a request',
    taking(record({ lines: { type: 'array', items: record({ sku: TEXT }) } })),
    taking(record({ lines: { type: 'array', items: record({}) } })),
    'POST /things request .lines [] .sku is gone',
  ],
  [
    'a request field that no form has any more',
    taking({ anyOf: [record({ client_id: TEXT }), record({ username: TEXT })] }),
    taking({ anyOf: [record({ client_id: TEXT }), record({ account: TEXT })] }),
    'POST /things request .username is gone',
  ],
  [
    'a request field that becomes required',
    taking(record({ sku: TEXT })),
    taking(record({ sku: TEXT }, ['sku'])),
    'POST /things request .sku is now required',
  ],
  [
    'a new request field that is required',
    taking(record({})),
    taking(record({ sku: TEXT }, ['sku'])),
    'POST /things request .sku is now required',
  ],
  [
    'a new required field where that of others is not stated',
    taking({ type: 'object', properties: { sku: TEXT }, 'x-required-unstated': ['sku'] }),
    taking(record({ sku: TEXT, colour: TEXT }, ['sku', 'colour'])),
    'POST /things request .colour is now required',
  ],
  [
    'a field that all forms of a request require, though the request may also be null',
    taking({ oneOf: [record({ sku: TEXT }, ['sku']), record({ sku: TEXT }), { type: 'null' }] }),
    taking({
      oneOf: [record({ sku: TEXT }, ['sku']), record({ sku: TEXT }, ['sku']), { type: 'null' }],
    }),
    'POST /things request .sku is now required',
  ],
  [
    'a field that a part of a request requires',
    taking(record({ sku: TEXT })),
    taking({ allOf: [record({ sku: TEXT }), { required: ['sku'] }] }),
    'POST /things request .sku is now required',
  ],
  [
    'a word that a request no longer takes',
    taking(record({ kind: A_OR_B })),
    taking(record({ kind: A })),
    'POST /things request .kind has lost the word b',
  ],
  [
    'a word that no form of a request takes any more',
    taking(record({ kind: A_OR_B })),
    taking({ anyOf: [record({ kind: { const: 'a' } }), record({ kind: { const: 'c' } })] }),
    'POST /things request .kind has lost the word b',
  ],
  [
    'free text that becomes a list of words',
    taking(record({ kind: TEXT })),
    taking(record({ kind: A_OR_B })),
    'POST /things request .kind now takes listed words',
  ],
  [
    'a request field that takes whole numbers only',
    taking(record({ quantity: { type: 'number' } })),
    taking(record({ quantity: { type: 'integer' } })),
    'POST /things request .quantity no longer takes number',
  ],
  [
    'a request field that may no longer be null',
    taking(record({ sku: { type: ['string', 'null'] } })),
    taking(record({ sku: TEXT })),
    'POST /things request .sku no longer takes null',
  ],
  [
    'a request field whose parts leave less room',
    taking(record({ quantity: { type: 'number' } })),
    taking(record({ quantity: { allOf: [{ type: 'number' }, { type: 'integer' }] } })),
    'POST /things request .quantity no longer takes number',
  ],
]

const ANSWERS: Case[] = [
  [
    'a field that is gone and was always there, once',
    answering(record({ sku: TEXT }, ['sku'])),
    answering(record({})),
    'POST /things answer 200 .sku is gone',
  ],
  [
    'a removed field of a record without a type',
    answering({ properties: { sku: TEXT } }),
    answering({ required: [] }),
    'POST /things answer 200 .sku is gone',
  ],
  [
    'a removed field of rows that may also be null',
    answering({ anyOf: [{ items: record({ sku: TEXT }) }, { type: 'null' }] }),
    answering({ anyOf: [{ items: record({}) }, { type: 'null' }] }),
    'POST /things answer 200 [] .sku is gone',
  ],
  [
    'listed numbers that become any whole number',
    answering(record({ page: { enum: [1, 2] } })),
    answering(record({ page: { type: 'integer' } })),
    'POST /things answer 200 .page no longer keeps to listed words',
  ],
  [
    'a success that is gone',
    api({ responses: { '2XX': {} } }),
    api({ responses: { 302: {}, 404: {} } }),
    'POST /things answer 2XX is gone',
  ],
  [
    'a success with another status',
    api({ responses: { 200: {} } }),
    api({ responses: { 201: {} } }),
    'POST /things answer 200 is gone',
  ],
  [
    'a header that is gone',
    api({ responses: { 200: { headers: { 'X-Stock-Version': {}, 'X-Request-Id': {} } } } }),
    api({ responses: { 200: { headers: { 'X-Request-Id': {} } } } }),
    'POST /things answer 200: x-stock-version is gone',
  ],
  [
    'an answer without its body',
    answering(record({})),
    api({ responses: { 200: {} } }),
    'POST /things answer 200: application/json is gone',
  ],
  [
    'a field that is gone from one of several successes',
    api({ responses: { '2XX': json(record({ data: {} })) } }),
    api({ responses: { 200: json(record({ data: {} })), 202: json(record({})) } }),
    'POST /things answer 202 .data is gone',
  ],
  [
    'a field that is gone from a shared answer',
    api(
      { responses: { 200: { $ref: '#/components/responses/Thing' } } },
      { components: { responses: { Thing: json(record({ data: {} })) } } },
    ),
    api(
      { responses: { 200: { $ref: '#/components/responses/Thing' } } },
      { components: { responses: { Thing: json(record({})) } } },
    ),
    'POST /things answer 200 .data is gone',
  ],
  [
    'a removed field of a row',
    answering(record({ data: { type: 'array', items: { $ref: '#/components/schemas/Row' } } }), {
      Row: record({ sku: TEXT }),
    }),
    answering(record({ data: { type: 'array', items: { $ref: '#/components/schemas/Row' } } }), {
      Row: record({}),
    }),
    'POST /things answer 200 .data [] .sku is gone',
  ],
  [
    'rows that may now be anything',
    answering(record({ data: { type: 'array', items: TEXT } })),
    answering(record({ data: { type: 'array' } })),
    'POST /things answer 200 .data [] may now be anything',
  ],
  [
    'rows that may be something else in one form of the answer',
    answering(record({ data: { type: 'array', items: TEXT } })),
    answering(
      record({
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
    answering(record({ sku: TEXT }, ['sku'])),
    answering(record({ sku: TEXT })),
    'POST /things answer 200 .sku is no longer always there',
  ],
  [
    'a field that only one form of the answer still has always',
    answering(record({ sku: TEXT }, ['sku'])),
    answering({ oneOf: [record({ sku: TEXT }, ['sku']), record({ code: TEXT }, ['code'])] }),
    'POST /things answer 200 .sku is no longer always there',
  ],
  [
    'a field of another type',
    answering(record({ paid: { type: 'boolean' } })),
    answering(record({ paid: TEXT })),
    'POST /things answer 200 .paid may now be string',
  ],
  [
    'a whole number that may now be any',
    answering(record({ quantity: { type: 'integer' } })),
    answering(record({ quantity: { type: 'number' } })),
    'POST /things answer 200 .quantity may now be number',
  ],
  [
    'a field that may now be null, said by a type array',
    answering(record({ sku: TEXT })),
    answering(record({ sku: { type: ['string', 'null'] } })),
    'POST /things answer 200 .sku may now be null',
  ],
  [
    'a field that may now be null, said by anyOf',
    answering(record({ sku: TEXT })),
    answering(record({ sku: { anyOf: [TEXT, { type: 'null' }] } })),
    'POST /things answer 200 .sku may now be null',
  ],
  [
    'a record that may now be null, whose fields are compared all the same',
    answering(record({ recipient: { anyOf: [record({ name: TEXT }), { type: 'null' }] } })),
    answering(record({ recipient: { anyOf: [record({}), { type: 'null' }] } })),
    'POST /things answer 200 .recipient .name is gone',
  ],
  [
    'a word that may now be null, said in the list',
    answering(record({ kind: A })),
    answering(record({ kind: { enum: ['a', null] } })),
    'POST /things answer 200 .kind may now be null',
  ],
  [
    'a field that may now be anything',
    answering(record({ sku: TEXT })),
    answering(record({ sku: {} })),
    'POST /things answer 200 .sku may now be anything',
  ],
  [
    'a field that may be anything in one form',
    answering(record({ sku: TEXT })),
    answering(record({ sku: { anyOf: [TEXT, {}] } })),
    'POST /things answer 200 .sku may now be anything',
  ],
  [
    'a word that an answer no longer holds',
    answering(record({ status: A_OR_B })),
    answering(record({ status: A })),
    'POST /things answer 200 .status has lost the word b',
  ],
  [
    'a list of words that becomes free text',
    answering(record({ status: A })),
    answering(record({ status: TEXT })),
    'POST /things answer 200 .status no longer keeps to listed words',
  ],
  [
    'a list of words that is free text in one form',
    answering(record({ status: A })),
    answering(record({ status: { anyOf: [A, TEXT] } })),
    'POST /things answer 200 .status no longer keeps to listed words',
  ],
  [
    'a list of words of which a part leaves fewer',
    answering(record({ status: A_OR_B })),
    answering(record({ status: { allOf: [A_OR_B, A] } })),
    'POST /things answer 200 .status has lost the word b',
  ],
]

const FAILURES: Case[] = [
  [
    'a failure that only successes are left of',
    failing({ 404: {} }),
    failing({ 200: {} }),
    'POST /things answer 404 is gone',
  ],
  [
    'a success that only failures are left of',
    failing({ 200: {} }),
    failing({ default: {} }),
    'POST /things answer 200 is gone',
  ],
  [
    'failures that are no longer described',
    failing({ default: json(record({ error: {} })) }),
    failing({ 200: {} }),
    'POST /things answer default is gone',
  ],
  [
    'a field that is gone from one failure',
    failing({ default: json(record({ error: {} })) }),
    failing({ '4XX': json(record({ error: {} })), 503: json(record({})) }),
    'POST /things answer 503 .error is gone',
  ],
  [
    'a removed error code',
    failing({}, { ErrorCode: A_OR_B }),
    failing({}, { ErrorCode: A }),
    'the list ErrorCode has lost b',
  ],
  ['a removed list of error codes', failing({}, { ErrorCode: A }), api({}), 'the list ErrorCode is gone'],
  [
    'error codes that are no longer listed',
    failing({}, { ErrorCode: A }),
    failing({}, { ErrorCode: TEXT }),
    'the list ErrorCode is gone',
  ],
  [
    'a removed word of a list that no operation uses yet',
    failing({}, { PaymentMethod: A_OR_B }),
    failing({}, { PaymentMethod: A }),
    'the list PaymentMethod has lost b',
  ],
]

const GROWTH: Growth[] = [
  [
    'a schema for an answer',
    api({ responses: { 200: { content: { 'application/json': {} } } } }),
    answering(TEXT),
  ],
  [
    'a parameter without a schema',
    withQuery('page', false),
    api({ parameters: [{ in: 'query', name: 'page' }] }),
  ],
  [
    'a schema for a parameter',
    api({ parameters: [{ in: 'query', name: 'page' }] }),
    withQuery('page', false),
  ],
  ['a parameter that takes any word', withQuery('status', false, A), withQuery('status', false)],
  ['a request without a schema', taking(TEXT), api({ requestBody: { content: { 'application/json': {} } } })],
  ['a schema for a request', api({ requestBody: { content: { 'application/json': {} } } }), taking(TEXT)],
  [
    'a request of which one form is open',
    taking(record({ sku: TEXT })),
    taking({ anyOf: [record({ sku: TEXT, code: TEXT }, ['sku', 'code']), true] }),
  ],
  [
    'listed numbers where any whole number could be',
    answering(record({ page: { type: 'integer' } })),
    answering(record({ page: { enum: [1, 2] } })),
  ],
  ['a list of words where text was named', failing({}, { Kind: TEXT }), failing({}, { Kind: A })],
  ['a new path', { openapi: '3.1.0' }, api(FREE)],
  ['a protected operation that becomes public', api({ security: [{ bearer: [] }] }), api({ security: [] })],
  ['another name for the token', api({ security: [{ bearer: [] }] }), api({ security: [{ token: [] }] })],
  ['a new optional parameter', api({}), withQuery('page', false)],
  ['a required parameter that becomes optional', withQuery('page', true), withQuery('page', false)],
  ['a parameter that stays required', withQuery('page', true), withQuery('page', true)],
  [
    'a parameter that moves from the path to its operation',
    { openapi: '3.1.0', paths: { '/things': { get: {}, parameters: [{ in: 'query', name: 'page' }] } } },
    { openapi: '3.1.0', paths: { '/things': { get: { parameters: [{ in: 'query', name: 'page' }] } } } },
  ],
  [
    'a header parameter in other letters',
    api({ parameters: [{ in: 'header', name: 'Idempotency-Key' }] }),
    api({ parameters: [{ in: 'header', name: 'idempotency-key' }] }),
  ],
  ['a new word for a parameter', withQuery('status', false, A), withQuery('status', false, A_OR_B)],
  ['a new optional request body', api({}), taking(record({}))],
  [
    'a required request body that becomes optional',
    api({ requestBody: { ...json(record({})), required: true } }),
    taking(record({})),
  ],
  ['a new optional request field', taking(record({})), taking(record({ sku: TEXT }))],
  [
    'a new optional record with a required field',
    taking(record({})),
    taking(record({ recipient: record({ name: TEXT }, ['name']) })),
  ],
  [
    'a request field that becomes optional',
    taking(record({ sku: TEXT }, ['sku'])),
    taking(record({ sku: TEXT })),
  ],
  [
    'a required field of which it was not stated',
    taking({ type: 'object', properties: { sku: TEXT }, 'x-required-unstated': ['sku'] }),
    taking(record({ sku: TEXT }, ['sku'])),
  ],
  [
    'a new form of a request',
    taking(record({ client_id: TEXT }, ['client_id'])),
    taking({ oneOf: [record({ client_id: TEXT }, ['client_id']), record({ username: TEXT }, ['username'])] }),
  ],
  [
    'a field that one form of a request refuses',
    taking(record({ client_id: TEXT })),
    taking({ oneOf: [record({ client_id: TEXT }), record({ client_id: { not: {} }, username: TEXT })] }),
  ],
  ['a new word for a request', taking(record({ kind: A })), taking(record({ kind: A_OR_B }))],
  ['a request that takes any word', taking(record({ kind: A })), taking(record({ kind: TEXT }))],
  [
    'a request that takes a record or a word',
    taking(record({ kind: record({}) })),
    taking(record({ kind: { anyOf: [record({}), A] } })),
  ],
  [
    'a request that takes any number',
    taking(record({ quantity: { type: 'integer' } })),
    taking(record({ quantity: { type: 'number' } })),
  ],
  [
    'a request that takes null',
    taking(record({ sku: TEXT })),
    taking(record({ sku: { type: ['string', 'null'] } })),
  ],
  [
    'a request that takes anything',
    taking(record({ sku: record({ code: TEXT }) })),
    taking(record({ sku: {} })),
  ],
  ['a type for what was open in a request', taking(record({ sku: {} })), taking(record({ sku: A }))],
  ['a new answer field', answering(record({})), answering(record({ sku: TEXT }, ['sku']))],
  [
    'a field that now is always there',
    answering(record({ sku: TEXT })),
    answering(record({ sku: TEXT }, ['sku'])),
  ],
  ['a type for what was open in an answer', answering(record({ sku: {} })), answering(record({ sku: A }))],
  [
    'null for what was open in an answer',
    answering(record({ sku: true })),
    answering(record({ sku: { anyOf: [TEXT, { type: 'null' }] } })),
  ],
  [
    'an answer that holds whole numbers only',
    answering(record({ quantity: { type: 'number' } })),
    answering(record({ quantity: { type: 'integer' } })),
  ],
  [
    'an answer that is never null any more',
    answering(record({ recipient: { type: ['object', 'null'], properties: { name: TEXT } } })),
    answering(record({ recipient: record({ name: TEXT }) })),
  ],
  [
    'an answer that is a record no more where it was a record or text',
    answering(record({ recipient: { anyOf: [record({ name: TEXT }, ['name']), TEXT] } })),
    answering(record({ recipient: TEXT })),
  ],
  ['a new word in an answer', answering(record({ status: A })), answering(record({ status: A_OR_B }))],
  ['an answer that keeps to words', answering(record({ status: TEXT })), answering(record({ status: A }))],
  [
    'null said in a list instead of beside it',
    answering(record({ status: { anyOf: [A, { type: 'null' }] } })),
    answering(record({ status: { enum: ['a', null] } })),
  ],
  [
    'words said one by one instead of in a list',
    answering(record({ status: A_OR_B })),
    answering(record({ status: { oneOf: [{ const: 'a' }, { const: 'b' }] } })),
  ],
  [
    'a record said in parts instead of at once',
    answering(record({ sku: TEXT, code: TEXT }, ['sku'])),
    answering(
      { allOf: [record({ sku: TEXT }, ['sku']), { $ref: '#/components/schemas/Coded' }] },
      {
        Coded: { properties: { code: TEXT } },
      },
    ),
  ],
  [
    'words beside a reference',
    answering(record({ status: A })),
    answering(record({ status: { $ref: '#/components/schemas/Text', enum: ['a'] } }), { Text: TEXT }),
  ],
  [
    'a new header',
    api({ responses: { 200: { headers: { 'X-A': {} } } } }),
    api({ responses: { 200: { headers: { 'x-a': {}, 'X-B': {} } } } }),
  ],
  ['a number for a range', api({ responses: { '2XX': {} } }), api({ responses: { 201: {}, 404: {} } })],
  ['a range for a number', api({ responses: { 200: {} } }), api({ responses: { '2XX': {} } })],
  ['a default for a failure', api({ responses: { 404: {} } }), api({ responses: { default: {} } })],
  [
    'failures told one by one, each with its own codes',
    failing({ default: json(record({ code: A_OR_B })) }),
    failing({ 404: json(record({ code: A })), '5XX': json(record({ code: { const: 'b' } })) }),
  ],
  ['a new error code', failing({}, { ErrorCode: A }), failing({}, { ErrorCode: A_OR_B })],
  ['another name for a list of words', failing({}, { Kind: A }), failing({}, {})],
  ['an optional token', api({ ...FREE, security: [] }), api({ ...FREE, security: [{ bearer: [] }, {}] })],
]

describe('breaks', () => {
  it.each([...OPERATIONS, ...REQUESTS, ...ANSWERS, ...FAILURES])(
    'reports %s',
    (_what, released, current, sentence) => {
      expect(breaks(released, current)).toEqual([sentence])
    },
  )

  it.each(GROWTH)('passes %s', (_what, released, current) => {
    expect(breaks(released, current)).toEqual([])
  })

  it('reports each type of which a field may now be', () => {
    const current = answering({ type: ['boolean', 'null', 'string'] })
    expect(breaks(answering(TEXT), current)).toHaveLength(2)
  })

  it('compares rows within rows', () => {
    const nested = (innermost: Schema) =>
      answering(
        Array.from({ length: 15 }).reduce<Schema>(
          (items) => ({ allOf: [{ type: 'array', items }] }),
          innermost,
        ),
      )
    expect(breaks(nested(TEXT), nested(TEXT))).toEqual([])
    expect(breaks(nested(TEXT), nested(record({})))).toHaveLength(1)
  })

  it('ends on a record that holds itself, and says so', () => {
    const nested = answering(
      { $ref: '#/components/schemas/Node' },
      {
        Node: record({ next: { $ref: '#/components/schemas/Node' } }),
      },
    )
    expect(breaks(nested, nested)).toEqual([
      expect.stringMatching(/\.next is nested too deep to be compared$/),
    ])
  })

  it('refuses a reference that leads nowhere or round in a circle', () => {
    const nowhere = answering({ $ref: '#/components/schemas/Gone' })
    const elsewhere = answering({ $ref: 'https://example.com/schemas/Node' }, { Node: TEXT })
    const circle = answering(
      { $ref: '#/components/schemas/Node' },
      {
        Node: { $ref: '#/components/schemas/Node' },
      },
    )
    const parameters = { Page: { $ref: '#/components/parameters/Page' } }
    const shared = api(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      { components: { parameters } },
    )
    expect(() => breaks(nowhere, nowhere)).toThrow('#/components/schemas/Gone leads nowhere')
    expect(() => breaks(elsewhere, elsewhere)).toThrow('leads nowhere')
    expect(() => breaks(circle, circle)).toThrow('composed too deeply')
    expect(() => breaks(shared, shared)).toThrow('leads round in a circle')
  })
})

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Some 300 comparisons of whole documents take 2 s on an idle machine. */
const COMPARING_MANY_MS = 30_000

/** What a document lists under these names, a client may rely on. */
const PROMISING = ['paths', 'parameters', 'headers', 'responses', 'content', 'properties', 'enum']

/** The same JSON once for each single thing that it promises, without that thing. */
function* lessened(node: Json, under: string, where: string): Generator<[where: string, less: Json]> {
  if (node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const [at, child] of node.entries()) {
      if (PROMISING.includes(under)) yield [`${where}/${at}`, node.toSpliced(at, 1)]
      for (const [spot, less] of lessened(child, '', `${where}/${at}`)) yield [spot, node.with(at, less)]
    }
    return
  }
  for (const [name, child] of Object.entries(node)) {
    const { [name]: _left, ...others } = node
    if (PROMISING.includes(under)) yield [`${where}/${name}`, others]
    // Within a list of names, a name is no keyword: a field may be called "content".
    const keyword = PROMISING.includes(under) ? '' : name
    for (const [spot, less] of lessened(child, keyword, `${where}/${name}`)) {
      yield [spot, { ...node, [name]: less }]
    }
  }
}

describe('1.4.0', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../released/1.4.0.json'), 'utf8')
  const released = openApiFrom(text)

  it('does not break itself', () => {
    expect(breaks(released, released)).toEqual([])
  })

  it(
    'is guarded in every operation, parameter, header, answer, field and word',
    () => {
      const document: Json = JSON.parse(text)
      // A shared parameter, header or answer is guarded where it is used: without it, references lead nowhere.
      const isShared = (where: string) => /^\/components\/\w+\/[^/]+$/.test(where)
      const copies = [...lessened(document, '', '')].filter(([where]) => !isShared(where))
      const unguarded = copies.filter(
        ([, less]) => breaks(released, openApiFrom(JSON.stringify(less))).length === 0,
      )
      expect(copies.length).toBeGreaterThan(200)
      expect(unguarded.map(([where]) => where)).toEqual([])
    },
    COMPARING_MANY_MS,
  )
})
