import { texts } from '../../contract/texts/texts.ts'
import { givenVariables } from '../journey/step.ts'
import {
  type CollectionRequest,
  listCollectionRequests,
  maxTries,
  toExpression,
  tryEveryMs,
} from './requests.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/**
 * Builds the journey as a Postman collection (format 2.1). The requests work in their order: each keeps the values that
 * later ones use. A folder has consecutive requests of one group.
 */
export function buildPostmanCollection(server: string) {
  const folders: { name: string; item: object[] }[] = []
  for (const request of listCollectionRequests()) {
    const name = texts.en.site[`group_of_${request.endpoint.group}`]
    if (folders.at(-1)?.name !== name) folders.push({ name, item: [] })
    folders.at(-1)?.item.push(toItem(request))
  }
  return {
    info: { name: 'Trade Gateway', description: texts.en.site.api_description, schema },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: server },
      { key: 'username', value: givenVariables.username },
      { key: 'password', value: '' },
    ],
    item: folders,
  }
}

function toItem(request: CollectionRequest) {
  const { name, step, endpoint, path, headers } = request
  const query = Object.entries(step.query ?? {}).map(([key, value]) => ({ key, value }))
  const search = query.map(({ key, value }) => `${key}=${value}`).join('&')
  return {
    name,
    event: [
      ...(endpoint.id === 'auth.token' ? [toScript('prerequest', startRun)] : []),
      toScript('test', buildTest(request)),
    ],
    request: {
      method: endpoint.method,
      description: endpoint.description,
      ...(request.isPublic ? { auth: { type: 'noauth' } } : {}),
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      url: {
        raw: `{{base_url}}${path}${search === '' ? '' : `?${search}`}`,
        host: ['{{base_url}}'],
        path: path.split('/').slice(1),
        ...(query.length > 0 ? { query } : {}),
      },
      ...(step.body === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: JSON.stringify(step.body, null, 2),
              options: { raw: { language: 'json' } },
            },
          }),
    },
  }
}

const startRun = ["pm.collectionVariables.set('run', pm.variables.replaceIn('{{$guid}}').slice(0, 8))"]

function toScript(listen: string, exec: readonly string[]) {
  return { listen, script: { type: 'text/javascript', exec } }
}

function buildTest({ step, status }: CollectionRequest): string[] {
  const keep = Object.entries(step.keep ?? {})
  const check = [
    `pm.test('status ${status}', () => pm.response.to.have.status(${status}))`,
    ...(keep.length > 0 ? ['const body = pm.response.json()'] : []),
    ...keep.map(([name, place]) => `pm.collectionVariables.set('${name}', ${toExpression(place)})`),
  ]
  if (!step.waits) return check
  const [, place = ''] = keep[0] ?? []
  return [
    'const body = pm.response.json()',
    `const tries = Number(pm.collectionVariables.get('tries') ?? 0)`,
    `if (${toExpression(place)} === undefined && tries < ${maxTries}) {`,
    `  pm.collectionVariables.set('tries', tries + 1)`,
    `  setTimeout(() => {}, ${tryEveryMs})`,
    '  pm.execution.setNextRequest(pm.info.requestName)',
    '} else {',
    `  pm.collectionVariables.set('tries', 0)`,
    ...check.filter((line) => !line.startsWith('const body')).map((line) => `  ${line}`),
    '}',
  ]
}
