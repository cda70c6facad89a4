import { describe, expect, it } from 'vitest'
import { classifyError, classifyException, classifyStatus } from './failures.ts'

describe('Failures of Tryton', () => {
  it.each([
    [['UserError', ['The web ID on the sale must be unique.', '', null]], 'refused'],
    [['UserError', ['You are not allowed to access "Web User".', '', null]], 'forbidden'],
    [['UserWarning', ['stock_quantity_warning_9', 'The quantity is lower.', '']], 'warning'],
    [['could not obtain lock on row in relation "stock_move"\n', ''], 'locked'],
    [['could not serialize access due to concurrent update\n', ''], 'locked'],
    [['connection to server at "127.0.0.1" refused', ''], 'unknown'],
    [['server closed the connection unexpectedly', ''], 'unknown'],
    [['canceling statement due to statement timeout', ''], 'unknown'],
    [["'no.such'", ''], 'forbidden'],
    [['LoginException', ['x']], 'login'],
  ])('are told apart by their text: %j', (error, kind) => {
    expect(classifyError('method', error).kind).toBe(kind)
  })

  it('keep the text of a warning, which is its second part', () => {
    const error = ['UserWarning', ['stock_quantity_warning_9', 'The quantity is lower.', '']]
    expect(classifyError('method', error).text).toBe('The quantity is lower.')
  })

  it.each([
    [401, 'session'],
    [403, 'forbidden'],
    [405, 'unexpected'],
    [429, 'unknown'],
    [502, 'unknown'],
  ])('with status %d are %s', (status, kind) => {
    expect(classifyStatus('method', status, '<p>text</p>').kind).toBe(kind)
  })

  it('were not sent only if the connection was refused', () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    expect(classifyException('m', new TypeError('fetch failed', { cause: refused })).kind).toBe('unreachable')
    expect(classifyException('m', new TypeError('fetch failed', { cause: reset })).kind).toBe('unknown')
  })
})
