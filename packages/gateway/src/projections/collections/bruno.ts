import { givenVariables } from '../journey/step.ts'
import {
  type CollectionRequest,
  listCollectionRequests,
  maxTries,
  toExpression,
  tryEveryMs,
} from './requests.ts'

/** Builds the journey as a Bruno collection: the text of each file by its name. */
export function buildBrunoFiles(server: string): ReadonlyMap<string, string> {
  const about = { version: '1', name: 'Trade Gateway', type: 'collection' }
  return new Map([
    ['bruno.json', `${JSON.stringify(about, null, 2)}\n`],
    [
      'environments/sandbox.bru',
      formatBlock('vars', [`base_url: ${server}`, `username: ${givenVariables.username}`, 'password: ']),
    ],
    ...listCollectionRequests().map(
      (request, index) => [toFileName(request, index), formatRequest(request, index)] as const,
    ),
  ])
}

function toFileName({ endpoint }: CollectionRequest, index: number): string {
  return `${String(index + 1).padStart(2, '0')}-${endpoint.id.replaceAll(/[._]/g, '-')}.bru`
}

function formatRequest(request: CollectionRequest, index: number): string {
  const { name, step, endpoint, path, headers, isPublic } = request
  const query = Object.entries(step.query ?? {})
  const search = query.length > 0 ? `?${query.map(([key, value]) => `${key}=${value}`).join('&')}` : ''
  const blocks = [
    formatBlock('meta', [`name: ${name}`, 'type: http', `seq: ${index + 1}`]),
    formatBlock(endpoint.method.toLowerCase(), [
      `url: {{base_url}}${path}${search}`,
      `body: ${step.body === undefined ? 'none' : 'json'}`,
      `auth: ${isPublic ? 'none' : 'bearer'}`,
    ]),
    formatPairs('params:query', query),
    formatPairs('headers', Object.entries(headers)),
    isPublic ? '' : formatBlock('auth:bearer', ['token: {{access_token}}']),
    step.body === undefined ? '' : formatBlock('body:json', JSON.stringify(step.body, null, 2).split('\n')),
    endpoint.id === 'auth.token' ? formatBlock('script:pre-request', startRun) : '',
    formatBlock('script:post-response', buildScript(request)),
    step.waits ? '' : formatBlock('tests', buildTest(request)),
    formatBlock('docs', [endpoint.description]),
  ]
  return blocks.filter((block) => block !== '').join('\n')
}

const startRun = ["bru.setVar('run', bru.interpolate('{{$guid}}').slice(0, 8))"]

function buildScript({ name, step, status }: CollectionRequest): string[] {
  const keep = Object.entries(step.keep ?? {})
  const body = 'const body = res.getBody()'
  const set = keep.map(([variable, place]) => `bru.setVar('${variable}', ${toExpression(place)})`)
  if (!step.waits) return keep.length > 0 ? [body, ...set] : [`// ${status} is the only expected status`]
  const [, place = ''] = keep[0] ?? []
  return [
    body,
    "const tries = Number(bru.getVar('tries') ?? 0)",
    `if (${toExpression(place)} === undefined && tries < ${maxTries}) {`,
    "  bru.setVar('tries', tries + 1)",
    `  await bru.sleep(${tryEveryMs})`,
    `  bru.setNextRequest('${name}')`,
    '} else {',
    "  bru.setVar('tries', 0)",
    ...set.map((line) => `  ${line}`),
    ...buildTest({ status }).map((line) => `  ${line}`),
    '}',
  ]
}

function buildTest({ status }: Pick<CollectionRequest, 'status'>): string[] {
  return [`test('status ${status}', () => expect(res.getStatus()).to.equal(${status}))`]
}

function formatPairs(name: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.length === 0
    ? ''
    : formatBlock(
        name,
        pairs.map(([key, value]) => `${key}: ${value}`),
      )
}

function formatBlock(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`
}
