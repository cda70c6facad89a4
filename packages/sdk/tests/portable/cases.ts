import { gatewayCases } from './gateway-cases.ts'
import type { Case } from './target.ts'
import { tokenCases } from './token-cases.ts'
import { transportCases } from './transport-cases.ts'
import { webhookCases } from './webhook-cases.ts'

/** The suite that runs in every runtime. */
export const cases: readonly Case[] = [...transportCases, ...tokenCases, ...gatewayCases, ...webhookCases]
