import { expect, it } from 'vitest'
import { jsonLog } from './log.ts'

it('leaves out every field that is not listed', () => {
  const lines: string[] = []
  const log = jsonLog('info', { write: (line: string) => void lines.push(line) })
  const fields = { request_id: 'req_1', status: 200, error: new Error('why'), authorization: 'Bearer secret' }
  log.info(fields, 'answered')
  const [line = ''] = lines
  expect(Object.keys(JSON.parse(line))).toEqual(['level', 'time', 'request_id', 'status', 'error', 'msg'])
  expect(JSON.parse(line).error).toMatch(/^Error: why/)
})
