import { z } from 'zod'
import { grantType } from '../../access/endpoints.ts'
import { listTokens, revokeAccount, revokeToken } from '../../access/revoke.ts'
import { rotateSigningKey } from '../../access/signing-keys.ts'
import { instantField, paging, toListSchema, window } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const issuedToken = z
  .object({
    jti: z.string(),
    channel_code: z.string(),
    grant_type: grantType,
    secret_id: z.string().nullable(),
    account_id: z.string().nullable(),
    username: z.string().nullable(),
    issued_at: instantField,
    expires_at: instantField,
  })
  .meta({ id: 'IssuedToken' })

const revoked = toDataSchema(z.object({ revoked: z.int() }))

export const tokensList = endpoint({
  id: 'admin.tokens.list',
  group: 'admin',
  summary: 'List live tokens',
  description: 'The live tokens of a channel, newest first (never their values).',
  translations,
  method: 'GET',
  path: '/admin/api/channels/{channel_code}/tokens',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { channel_code: z.string() },
  query: { ...paging, ...window },
  result: toListSchema(issuedToken),

  async handle({ gateway, input }) {
    return listTokens(gateway, input.channel_code, input)
  },
})

export const tokensRevoke = endpoint({
  id: 'admin.tokens.revoke',
  group: 'admin',
  summary: 'Revoke a token',
  description: 'Ends one token within a second in every process.',
  translations,
  method: 'DELETE',
  path: '/admin/api/tokens/{jti}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { jti: z.string() },
  query: {},
  result: revoked,

  async handle({ gateway, call, input }) {
    return { data: await revokeToken({ gateway, call }, input.jti) }
  },
})

export const accountTokensRevoke = endpoint({
  id: 'admin.account_tokens.revoke',
  group: 'admin',
  summary: 'Revoke the tokens of an account',
  description:
    'Ends all tokens of an OMS account on a channel within a second. The account can sign in again.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}/accounts/{account_id}/tokens',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { channel_code: z.string(), account_id: z.string() },
  query: {},
  result: revoked,

  async handle({ gateway, call, input }) {
    return { data: await revokeAccount({ gateway, call }, input.channel_code, input.account_id) }
  },
})

export const signingKeysRotate = endpoint({
  id: 'admin.signing_keys.rotate',
  group: 'admin',
  summary: 'Rotate the signing key',
  description:
    'Signs new tokens with a new key. Tokens of the earlier keys stay valid until they expire. With `compromised: true`, they are refused within a second.',
  translations,
  method: 'POST',
  path: '/admin/api/signing-keys',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({ compromised: z.boolean().default(false) }),
  result: toDataSchema(
    z.object({ kid: z.string(), created_at: instantField, earlier_kids: z.array(z.string()) }),
  ),
  status: 201,

  async handle({ gateway, call, input }) {
    return { data: await rotateSigningKey({ gateway, call }, input.compromised) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [tokensList, tokensRevoke, accountTokensRevoke, signingKeysRotate] as const
