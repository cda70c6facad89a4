import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreUnusable } from '../store/store.ts'
import { dump } from './postgres-tools.ts'

/** Writes down how it was started, in place of the program of PostgreSQL. */
const program = '#!/bin/sh\nfor each; do :; done; echo "$each" > "$SEEN"; echo "$PGPASSWORD" >> "$SEEN"\n'

describe('a program of PostgreSQL', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tg-tools-'))
    writeFileSync(join(folder, 'pg_dump'), program, { mode: 0o700 })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Returns the address and the password that the program gets. */
  async function readStart(url: string): Promise<{ address: string; password: string }> {
    const seen = join(folder, 'seen')
    const environment = { PATH: folder, SEEN: seen }
    await dump({ url, environment }, 'snapshot', join(folder, 'file'))
    const [address = '', password = ''] = readFileSync(seen, 'utf8').split('\n')
    return { address, password }
  }

  it.each([
    ['100%', '100%'],
    ['p%zz', 'p%zz'],
    ['p%25zz', 'p%zz'],
    ['a%20b%', 'a b%'],
    ['a+b', 'a+b'],
  ])('gets the password %s as the gateway reads it, and not as an argument', async (written, password) => {
    expect(await readStart(`postgres://gateway:${written}@db.example/trade`)).toEqual({
      address: '--dbname=postgresql:///?user=gateway&host=db.example&port=5432&dbname=trade',
      password,
    })
  })

  it('gets the rest of the URL as the gateway reads it', async () => {
    const url =
      'postgres:///my%20db?password=in%20the%20query&sslmode=verify-full&user=us%25er&port=6432&host=/run/db&application_name=a+b'
    expect(await readStart(url)).toEqual({
      address:
        '--dbname=postgresql:///?sslmode=verify-full&user=us%25er&port=6432&host=%2Frun%2Fdb&application_name=a%20b&dbname=my%20db',
      password: 'in the query',
    })
  })

  it('is not started with a URL that the gateway cannot read, and the refusal names the setting', async () => {
    const started = readStart('postgres://gateway:%e4@db.example/trade')
    await expect(started).rejects.toThrow(
      new StoreUnusable('DATABASE_URL cannot be read: URI malformed.', 78),
    )
  })
})
