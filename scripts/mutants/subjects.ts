/**
 * The parts of the gateway whose tests must notice every change of the code. A subject names its files and the suite
 * that judges them. A suite takes at most 20 seconds, because it runs for each of its mutants as far as its tests reach
 * the mutant.
 */

/** A mutant that no test can notice, because it behaves as the original does. */
export interface EquivalentMutant {
  /** The file, as in `files`. */
  readonly file: string
  /** The code that the mutant replaces, without line breaks and with single spaces. */
  readonly original: string
  readonly replacement: string
  readonly because: string
}

export interface Subject {
  readonly name: string
  /** What the files promise. */
  readonly guarantee: string
  readonly files: readonly string[]
  readonly suite: readonly string[]
  readonly equivalent: readonly EquivalentMutant[]
}

/** Mutants of one file, each as original, replacement and reason. */
const equivalentIn = (
  path: string,
  mutants: readonly (readonly [original: string, replacement: string, because: string])[],
): readonly EquivalentMutant[] =>
  mutants.map(([original, replacement, because]) => ({
    file: `packages/gateway/src/${path}`,
    original,
    replacement,
    because,
  }))

const source = (...paths: readonly string[]) => paths.map((path) => `packages/gateway/src/${path}`)
const overHttp = (...names: readonly string[]) =>
  names.map((name) => `packages/gateway/tests/${name}.test.ts`)

export const subjects: readonly Subject[] = [
  {
    name: 'quota',
    guarantee: 'No subject spends more than its limit in any 60 seconds.',
    files: source('kernel/quota.ts'),
    suite: source('kernel/quota.test.ts'),
    equivalent: equivalentIn('kernel/quota.ts', [
      [
        'second > window.second',
        'second >= window.second',
        'Of two equal seconds, one takes the place of the other.',
      ],
    ]),
  },
  {
    name: 'checksum',
    guarantee: 'A client computes the same checksum over the same rows.',
    files: source('snapshot/checksum.ts'),
    suite: source('snapshot/checksum.test.ts'),
    equivalent: equivalentIn('snapshot/checksum.ts', [
      ['[0, 0, 0, 0]', '[]', 'The loop sets each of the four words.'],
    ]),
  },
  {
    name: 'feed',
    guarantee: 'A client that follows the feed misses no change and gets none twice.',
    files: source('stock/feed.ts', 'snapshot/change-log.ts', 'snapshot/high-water.ts'),
    suite: [
      ...source(
        'snapshot/change-log.test.ts',
        'snapshot/high-water.test.ts',
        'snapshot/stock-snapshot.test.ts',
      ),
      ...overHttp('stock-feed'),
    ],
    equivalent: [
      ...equivalentIn('snapshot/change-log.ts', [
        ["''", '"Stryker was here!"', 'The index is one of the chunk.'],
        ['index < log.chunks.length', 'index <= log.chunks.length', 'Behind the end there is no chunk.'],
        ['!chunk', 'false', 'The index is one of the log.'],
        [
          'index === first',
          'true',
          'In a later chunk, the first entry after the version is the first of all.',
        ],
        ['at < chunk.skus.length', 'at <= chunk.skus.length', 'Behind the end there is no live entry.'],
        [
          '(entries[0]?.version ?? 0) > (kept.at(-1)?.versions.at(-1) ?? 0)',
          '(entries[0]?.version ?? 0) >= (kept.at(-1)?.versions.at(-1) ?? 0)',
          'No two rows have the same version, and nothing appended to nothing is nothing.',
        ],
        ['live === 0', 'false', 'A chunk without live entries adds nothing to any count or list.'],
        [
          'last.live + chunk.live <= maxMergedEntries',
          'last.live + chunk.live < maxMergedEntries',
          'Whether two chunks are one changes no count and no list.',
        ],
        [
          'chunks[index]?.versions',
          'chunks[index].versions',
          'The search asks for the chunks that are there.',
        ],
      ]),
      ...equivalentIn('snapshot/high-water.ts', [
        [
          'version > this.findNewest(warehouse)',
          'version >= this.findNewest(warehouse)',
          'Of two equal versions, one takes the place of the other.',
        ],
        [
          'this.#bytes > maxFileBytes',
          'this.#bytes >= maxFileBytes',
          'The file is begun anew a line earlier.',
        ],
        [
          '[]',
          '["Stryker was here"]',
          'The text is taken for a warehouse S with the version t, which is no number.',
        ],
      ]),
      ...equivalentIn('stock/feed.ts', [
        ["typeof input.since === 'number'", 'true', 'The query has a number or nothing.'],
        ['since === undefined', 'false', 'What is no version is of another epoch, which costs the same.'],
        ['named <= version', 'named < version', 'The database is asked once more.'],
        ['([each]) => each', '() => undefined', 'With any tag, the database is asked once more.'],
        ['pending > 0', 'true', 'At the end, the newest version is that of the last row, or the cursor.'],
        [
          'pending > 0',
          'pending >= 0',
          'At the end, the newest version is that of the last row, or the cursor.',
        ],
        [
          'gateway.mirror.stock.warehouse(code)?.horizon',
          'gateway.mirror.stock.warehouse(code).horizon',
          'It is asked for a warehouse that has a snapshot.',
        ],
        ['named.length === 0', 'false', 'An empty header has no tags.'],
        [
          'end !== undefined',
          'true',
          'A tag without an end is none of a page: it is compared and found outside.',
        ],
        ['[]', '["Stryker was here"]', 'A text is neither above nor below a version.'],
      ]),
    ],
  },
  {
    name: 'signatures',
    guarantee: 'A receiver verifies every delivery with each active secret, and nothing else verifies.',
    files: source('webhooks/sign.ts'),
    suite: source('webhooks/sign.test.ts'),
    equivalent: equivalentIn('webhooks/sign.ts', [
      ['known', 'false', 'The cache saves time and changes no result.'],
      ['knownKeys.set(name, key)', ';', 'The cache saves time and changes no result.'],
      ["''", '"Stryker was here!"', 'Only a list without headers has no first one, and no signature either.'],
    ]),
  },
  {
    name: 'grants',
    guarantee: 'Only the right credentials of an active channel get a token.',
    files: source('access/grants.ts'),
    suite: overHttp('access-token', 'access-outage', 'access-grants'),
    equivalent: equivalentIn('access/grants.ts', [
      [
        'request.username !== undefined',
        'true',
        'Without a username and a client_id, either grant misses a credential and says so.',
      ],
      ["'client_credentials'", '""', 'The type has two values, and only the other one is asked for.'],
      ["''", '"Stryker was here!"', 'No secret has the hash that is compared for an unknown client.'],
      ['[unknown]', '[]', 'The comparison for an unknown client takes time and finds nothing.'],
      ['rows.length > 0', 'true', 'The comparison for an unknown client takes time and finds nothing.'],
      [
        'rows.length > 0',
        'rows.length >= 0',
        'The comparison for an unknown client takes time and finds nothing.',
      ],
    ]),
  },
  {
    name: 'parsing',
    guarantee: 'Two readers of a request never see different values.',
    files: source('kernel/json.ts', 'pipeline/stages/parse.ts'),
    suite: [
      ...source('kernel/json.test.ts', 'pipeline/stages/parse.test.ts'),
      ...overHttp('bad-input', 'access-token', 'parsing'),
    ],
    equivalent: [
      ...equivalentIn('kernel/json.ts', [
        ['at < text.length', 'at <= text.length', 'Behind the end there is no character.'],
        ['character === code.open', 'true', 'An array has no keys, so nothing is put into its set.'],
        ['keys?.has', 'keys.has', 'In valid JSON, a key is inside an object.'],
        ['keys?.add', 'keys.add', 'In valid JSON, a key is inside an object.'],
        ["'\\\\'", '""', 'A string without a backslash is decoded to itself.'],
        ['at - before', 'at + before', 'Sum and difference of two numbers are even together.'],
        ['a < b', 'a <= b', 'Two keys of an object differ.'],
      ]),
      ...equivalentIn('pipeline/stages/parse.ts', [
        [
          'checkDateRange(fromQuery, gateway.clock.now())',
          ';',
          'The handler parses the range again, and its refusal costs the same.',
        ],
        [
          '{ parseWindow({ ...query, page: 1, page_size: 1 }, now) }',
          '{}',
          'The handler parses the range again, and its refusal costs the same.',
        ],
        [
          '{ ...query, page: 1, page_size: 1 }',
          '{}',
          'The handler parses the range again, and its refusal costs the same.',
        ],
        ["call.rawQuery === ''", 'false', 'An empty query has one part, which is empty and left out.'],
        ["''", '"Stryker was here!"', 'An empty query has one part, which is empty and left out.'],
        ["typeof data === 'string'", 'true', 'The schema of the number has texts only.'],
        ['!(error instanceof JsonError)', 'false', 'The parser throws nothing else.'],
      ]),
    ],
  },
  {
    name: 'ledger',
    guarantee: 'Nobody without the key changes, removes, inserts or swaps rows of the audit log unnoticed.',
    files: source('audit/chain.ts', 'audit/verify.ts'),
    suite: overHttp('audit-chain'),
    equivalent: [],
  },
  {
    name: 'writes',
    guarantee: 'A write reaches the ERP at most once, and an unknown outcome is never reported as a failure.',
    files: source(
      'writes/ask.ts',
      'writes/document-lock.ts',
      'writes/failures.ts',
      'writes/intent.ts',
      'writes/perform.ts',
      'writes/serialize.ts',
    ),
    suite: [
      ...source(
        'writes/ask.test.ts',
        'writes/document-lock.test.ts',
        'writes/failures.test.ts',
        'writes/serialize.test.ts',
      ),
      ...overHttp(
        ...['perform-write', 'order-crash', 'access-idempotency', 'settlement', 'holds-gone'],
        ...['hints-during-submit', 'unreadable-document', 'erp-hangs', 'lost-locks'],
      ),
    ],
    equivalent: [
      ...equivalentIn('writes/intent.ts', [
        ['plan.check?.(tx)', 'plan.check(tx)', 'The branch is taken only with a check.'],
        ['intent.scope !== null', 'true', 'No key has the scope null.'],
      ]),
      ...equivalentIn('writes/perform.ts', [
        ['scope !== null', 'true', 'No key has the scope null.'],
        ['intent.scope !== null', 'true', 'No key has the scope null.'],
        ['deadline.end()', ';', 'The timer ends by itself, after the write.'],
        ['{ deadline.end() }', '{}', 'The timer ends by itself, after the write.'],
      ]),
    ],
  },
  {
    name: 'settlement',
    guarantee:
      'A write of unknown outcome is undone only if the ERP cannot have it and cannot get it any more.',
    files: source('writes/settle.ts', 'writes/sightings.ts'),
    suite: [
      ...source('writes/sightings.test.ts'),
      ...overHttp('settle-outcomes', 'settlement', 'settling-erp', 'weaker-erp', 'restored-late'),
    ],
    equivalent: equivalentIn('writes/settle.ts', [
      [
        'sighting.missedAt !== undefined',
        'true',
        'Without a time, the difference is NaN, which is not enough.',
      ],
    ]),
  },
  {
    name: 'keys',
    guarantee:
      'A repeated request gets the response of the first one, and every process names an order alike.',
    files: source('writes/keys.ts', 'writes/reference.ts', 'writes/sealed-keys.ts'),
    suite: [
      ...source('writes/reference.test.ts', 'writes/sealed-keys.test.ts'),
      ...overHttp('kept-keys', 'access-idempotency', 'lost-locks', 'order-crash', 'settlement', 'recipients'),
    ],
    equivalent: [
      ...equivalentIn('writes/keys.ts', [
        ['body === response.body', 'false', 'What has not changed is stored again as it was.'],
      ]),
      ...equivalentIn('writes/sealed-keys.ts', [
        ["''", '"Stryker was here!"', 'Neither text is sealed, so both are refused.'],
      ]),
    ],
  },
]
