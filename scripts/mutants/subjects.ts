/**
 * The parts of the gateway whose tests must notice every change of the code. A subject names its files and the suite
 * that judges them. A suite should take at most 20 seconds, because it runs for each of its mutants as far as its tests
 * reach the mutant.
 */

/** A mutant that no test can notice, because it behaves as the original does. */
export interface EquivalentMutant {
  /** The file, as in `files`. */
  readonly file: string
  /** The code around the mutant, mostly its line, with single spaces. It occurs once in the file. */
  readonly within: string
  /** The code that the mutant replaces, with single spaces. It occurs once in `within`. */
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

/** Mutants of one file, each as the code around it, original, replacement and reason. */
const equivalentIn = (
  path: string,
  mutants: readonly (readonly [within: string, original: string, replacement: string, because: string])[],
): readonly EquivalentMutant[] =>
  mutants.map(([within, original, replacement, because]) => ({
    file: `packages/gateway/src/${path}`,
    within,
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
    guarantee: 'No subject spends more than its limit in any 60 seconds, and each call costs its price.',
    files: source('kernel/quota.ts', 'pipeline/stages/meter.ts'),
    suite: source('kernel/quota.test.ts', 'pipeline/stages/meter.test.ts'),
    equivalent: [
      ...equivalentIn('kernel/quota.ts', [
        [
          'if (second > window.second) window.second = second',
          'second > window.second',
          'second >= window.second',
          'Of two equal seconds, one takes the place of the other.',
        ],
      ]),
      ...equivalentIn('pipeline/stages/meter.ts', [
        [
          'const limit = call.caller?.points_per_minute ?? 0',
          'call.caller?.points_per_minute',
          'call.caller.points_per_minute',
          'Only the call of a caller is charged.',
        ],
        [
          'if (!caller || cost <= points) return',
          'cost <= points',
          'cost < points',
          'No point is given back, and the cost stays as it is.',
        ],
      ]),
    ],
  },
  {
    name: 'checksum',
    guarantee: 'A client computes the same checksum over the same rows.',
    files: source('snapshot/checksum.ts'),
    suite: source('snapshot/checksum.test.ts'),
    equivalent: equivalentIn('snapshot/checksum.ts', [
      [
        'const result: [number, number, number, number] = [0, 0, 0, 0]',
        '[0, 0, 0, 0]',
        '[]',
        'The loop sets each of the four words.',
      ],
    ]),
  },
  {
    name: 'feed',
    guarantee: 'A client that follows the feed misses no change and gets none twice.',
    files: source(
      'stock/feed.ts',
      'snapshot/change-log.ts',
      'snapshot/packed-texts.ts',
      'snapshot/high-water.ts',
    ),
    suite: [
      ...source(
        'snapshot/change-log.test.ts',
        'snapshot/packed-texts.test.ts',
        'snapshot/high-water.test.ts',
        'snapshot/stock-snapshot.test.ts',
      ),
      ...overHttp('stock-feed'),
    ],
    equivalent: [
      ...equivalentIn('snapshot/change-log.ts', [
        [
          'let count = 0 for (let index = first; index < log.chunks.length; index++)',
          'index < log.chunks.length',
          'index <= log.chunks.length',
          'Behind the end there is no chunk.',
        ],
        [
          'const first = findChunkAfter(log.chunks, since) for (let index = first; index < log.chunks.length; index++)',
          'index < log.chunks.length',
          'index <= log.chunks.length',
          'Behind the end there is no chunk.',
        ],
        ['if (!chunk) continue count +=', '!chunk', 'false', 'The index is one of the log.'],
        ['if (!chunk) continue chunk.finds', '!chunk', 'false', 'The index is one of the log.'],
        [
          'count += index === first ? countLiveAfter(chunk, since) : chunk.live',
          'index === first',
          'true',
          'In a later chunk, the first entry after the version is the first of all.',
        ],
        [
          'let at = index === first ? findFirstAfter(chunk, since) : 0;',
          'index === first',
          'true',
          'In a later chunk, the first entry after the version is the first of all.',
        ],
        [
          'findFirstAfter(chunk, since) : 0; at < chunk.skus.length; at++',
          'at < chunk.skus.length',
          'at <= chunk.skus.length',
          'Behind the end there is no live entry.',
        ],
        [
          'if ((entries[0]?.version ?? 0) > (kept.at(-1)?.versions.at(-1) ?? 0)) {',
          '(entries[0]?.version ?? 0) > (kept.at(-1)?.versions.at(-1) ?? 0)',
          '(entries[0]?.version ?? 0) >= (kept.at(-1)?.versions.at(-1) ?? 0)',
          'No two rows have the same version, and nothing appended to nothing is nothing.',
        ],
        [
          'return live === 0 ? [] : [{ ...chunk, superseded: addMarks(chunk, versions.subarray(first, next)), live }]',
          'live === 0',
          'false',
          'A chunk without live entries adds nothing to any count or list.',
        ],
        [
          'if (last && last.live + chunk.live <= maxMergedEntries) {',
          'last.live + chunk.live <= maxMergedEntries',
          'last.live + chunk.live < maxMergedEntries',
          'Whether two chunks are one changes no count and no list.',
        ],
        [
          '(chunks[index]?.versions.at(-1) ?? 0) > since',
          'chunks[index]?.versions',
          'chunks[index].versions',
          'The search asks for the chunks that are there.',
        ],
        [
          '(chunks[index]?.versions.at(-1) ?? 0) > since',
          '(chunks[index]?.versions.at(-1) ?? 0) > since',
          '(chunks[index]?.versions.at(-1) ?? 0) >= since',
          'A chunk that ends at the version has no entry after it.',
        ],
        [
          "(entry) => entries[entry]?.sku ?? ''",
          'entries[entry]?.sku',
          'entries[entry].sku',
          'Each version is that of an entry.',
        ],
        [
          "(entry) => entries[entry]?.sku ?? ''",
          "''",
          '"Stryker was here!"',
          'Each version is that of an entry.',
        ],
      ]),
      ...equivalentIn('snapshot/high-water.ts', [
        [
          'if (version > this.findNewest(warehouse)) this.#versions.set(warehouse, version)',
          'version > this.findNewest(warehouse)',
          'version >= this.findNewest(warehouse)',
          'Of two equal versions, one takes the place of the other.',
        ],
        [
          'if (this.#bytes > maxFileBytes) this.#rewrite(this.#path)',
          'this.#bytes > maxFileBytes',
          'this.#bytes >= maxFileBytes',
          'The file is rewritten a line earlier.',
        ],
        [
          'catch { return [] }',
          '[]',
          '["Stryker was here"]',
          'The text is taken for a warehouse S with the version t, which is no number.',
        ],
      ]),
      ...equivalentIn('stock/feed.ts', [
        [
          "const since = typeof input.since === 'number' ? input.since : undefined",
          "typeof input.since === 'number'",
          'true',
          'The query has a number or nothing.',
        ],
        [
          'if (!snapshot || since === undefined || findFullSyncReason(',
          'since === undefined',
          'false',
          'What is no version is of another epoch, which costs the same.',
        ],
        [
          'if (named <= version) return replyFromMirror(gateway, call, query)',
          'named <= version',
          'named < version',
          'The database is asked once more.',
        ],
        [
          'const named = Math.max(query.since ?? 0, ...tags.map(([each]) => each))',
          '([each]) => each',
          '() => undefined',
          'With any tag, the database is asked once more.',
        ],
        [
          'const version = pending > 0 ? (reached ?? since) : snapshot.version',
          'pending > 0',
          'true',
          'At the end, the newest version is that of the last row, or the cursor.',
        ],
        [
          'const version = pending > 0 ? (reached ?? since) : snapshot.version',
          'pending > 0',
          'pending >= 0',
          'At the end, the newest version is that of the last row, or the cursor.',
        ],
        [
          'return gateway.mirror.stock.warehouse(code)?.horizon ?? 0',
          'gateway.mirror.stock.warehouse(code)?.horizon',
          'gateway.mirror.stock.warehouse(code).horizon',
          'It is asked for a warehouse that has a snapshot.',
        ],
        [
          'if (named.length === 0) return undefined',
          'named.length === 0',
          'false',
          'An empty header has no tags.',
        ],
        [
          'from === since && end !== undefined ? [end] : [],',
          'end !== undefined',
          'true',
          'A tag without an end is none of a page: it is compared and found outside.',
        ],
        [
          'from === since && end !== undefined ? [end] : [],',
          '[]',
          '["Stryker was here"]',
          'A text is neither above nor below a version.',
        ],
      ]),
    ],
  },
  {
    name: 'signatures',
    guarantee: 'A receiver verifies every delivery with each active secret, and nothing else verifies.',
    files: source('webhooks/sign.ts'),
    suite: source('webhooks/sign.test.ts'),
    equivalent: equivalentIn('webhooks/sign.ts', [
      ['if (known)', 'known', 'false', 'The cache saves time and changes no result.'],
      [
        'knownKeys.set(name, key)',
        'knownKeys.set(name, key)',
        ';',
        'The cache saves time and changes no result.',
      ],
      [
        "headers[headers.indexOf(name) + 1] ?? ''",
        "''",
        '"Stryker was here!"',
        'Only a list without headers has no first one, and no signature either.',
      ],
    ]),
  },
  {
    name: 'grants',
    guarantee: 'Only the right credentials of an active channel get a token.',
    files: source('access/grants.ts'),
    suite: overHttp('access-token', 'access-outage', 'access-grants'),
    equivalent: equivalentIn('access/grants.ts', [
      [
        'return request.client_id === undefined && request.username !== undefined',
        'request.username !== undefined',
        'true',
        'Without a username and a client_id, either grant misses a credential and says so.',
      ],
      [
        "? 'password' : 'client_credentials'",
        "'client_credentials'",
        '""',
        'The type has two values, and only the other one is asked for.',
      ],
      [
        "const unknown = { secret_hash: sha256('').toString('hex') }",
        "''",
        '"Stryker was here!"',
        'The comparison for an unknown client takes time and finds nothing.',
      ],
      [
        '(rows.length > 0 ? rows : [unknown])',
        '[unknown]',
        '[]',
        'The comparison for an unknown client takes time and finds nothing.',
      ],
      [
        '(rows.length > 0 ? rows : [unknown])',
        'rows.length > 0',
        'true',
        'The comparison for an unknown client takes time and finds nothing.',
      ],
      [
        '(rows.length > 0 ? rows : [unknown])',
        'rows.length > 0',
        'rows.length >= 0',
        'The comparison for an unknown client takes time and finds nothing.',
      ],
    ]),
  },
  {
    name: 'json',
    guarantee: 'Two parsers of a JSON text never see different values.',
    files: source('kernel/json.ts'),
    suite: source('kernel/json.test.ts'),
    equivalent: equivalentIn('kernel/json.ts', [
      [
        'for (let at = 0; at < text.length; at++) {',
        'at < text.length',
        'at <= text.length',
        'Behind the end there is no character.',
      ],
      [
        'if (levels.push(character === code.open ? new Set() : undefined) > maxDepth)',
        'character === code.open',
        'true',
        'An array has no keys, so nothing is put into its set.',
      ],
      ['if (keys?.has(key)) throw', 'keys?.has', 'keys.has', 'In valid JSON, a key is inside an object.'],
      ['keys?.add(key)', 'keys?.add', 'keys.add', 'In valid JSON, a key is inside an object.'],
      [
        "return inside.includes('\\\\') ?",
        "'\\\\'",
        '""',
        'A string without a backslash is decoded to itself.',
      ],
      [
        'return (at - before) % 2 === 0',
        'at - before',
        'at + before',
        'Sum and difference of two numbers are even together.',
      ],
      ['(a < b ? -1 : 1)', 'a < b', 'a <= b', 'Two keys of an object differ.'],
    ]),
  },
  {
    name: 'parsing',
    guarantee: 'Two readers of a request never see different values.',
    files: source('pipeline/stages/parse.ts'),
    suite: [...source('pipeline/stages/parse.test.ts'), ...overHttp('bad-input', 'access-token', 'parsing')],
    equivalent: equivalentIn('pipeline/stages/parse.ts', [
      [
        '.get(call.params) if (known)',
        'known',
        'false',
        'Parameters that are parsed again are the same: only the time differs.',
      ],
      [
        'knownParams.set(call.params, parsed)',
        'knownParams.set(call.params, parsed)',
        ';',
        'Parameters that are parsed again are the same: only the time differs.',
      ],
      ['if (isDated) checkDateRange', 'isDated', 'true', 'A query without dates has a window that is valid.'],
      [
        'if (!writes) return hasBody(call)',
        '!writes',
        'false',
        'No read takes a body, so that it is discarded on the other way too, only later.',
      ],
      [
        '.get(endpoint) if (known)',
        'known',
        'false',
        'A shape that is compiled again is the same: only the time differs.',
      ],
      [
        'compiledShapes.set(endpoint, shapes)',
        'compiledShapes.set(endpoint, shapes)',
        ';',
        'A shape that is compiled again is the same: only the time differs.',
      ],
      [
        'if (key === undefined) return',
        'key === undefined',
        'false',
        'The pattern takes what is missing for the text "undefined", which is a valid key.',
      ],
      [
        "if (call.rawQuery === '') return query",
        "call.rawQuery === ''",
        'false',
        'An empty query has one part, which is empty and left out.',
      ],
      [
        "if (call.rawQuery === '') return query",
        "''",
        '"Stryker was here!"',
        'An empty query has one part, which is empty and left out.',
      ],
      [
        "const [media = '', ...parameters] = type",
        "''",
        '"Stryker was here!"',
        'A text that is split has a first part.',
      ],
      [
        "return typeof data === 'string' ? data : undefined",
        "typeof data === 'string'",
        'true',
        'The schema of the number has texts only.',
      ],
      [
        'if (!(error instanceof JsonError)) throw error',
        '!(error instanceof JsonError)',
        'false',
        'The parser throws nothing else.',
      ],
    ]),
  },
  {
    name: 'ledger',
    guarantee: 'Each use of the admin API leaves its row, which nobody without the key changes unnoticed.',
    files: source(
      'audit/adopt.ts',
      'audit/append-together.ts',
      'audit/audit.ts',
      'audit/chain.ts',
      'audit/head.ts',
      'audit/losses.ts',
      'audit/prune.ts',
      'audit/verify.ts',
    ),
    suite: overHttp('audit-chain', 'audit-head', 'audit-endpoints', 'access-admin', 'access-admin-brake'),
    equivalent: [
      ...equivalentIn('audit/audit.ts', [
        [
          'if (at !== undefined && now < at + repeatedMs) return',
          'at !== undefined',
          'true',
          'Without a time, the sum is NaN, and no time is below it.',
        ],
        [
          "gateway.quota.tokens.take('admin refused', 1, maxRefusalsPerMinute, at)",
          "'admin refused'",
          '""',
          'No other count has either name.',
        ],
      ]),
      ...equivalentIn('audit/adopt.ts', [
        [
          'if (rows.length === 0) return 0',
          'rows.length === 0',
          'false',
          'Without rows, the end is stored again as it was.',
        ],
      ]),
      ...equivalentIn('audit/chain.ts', [
        [
          "export const beginning: Link = { number: 0, mac: '' }",
          "''",
          '"Stryker was here!"',
          'Each database stores the mark of its own beginning.',
        ],
        ["createdAt = ''", "''", '"Stryker was here!"', 'What a gateway sealed has both parts.'],
        [", key = ''", "''", '"Stryker was here!"', 'What a gateway sealed has both parts.'],
        [
          'catch { return undefined }',
          '{ return undefined }',
          '{}',
          'A function without a return value returns undefined.',
        ],
      ]),
      ...equivalentIn('audit/prune.ts', [
        [
          'if (old.length === 0) return 0',
          'old.length === 0',
          'false',
          'Nothing is removed, and the anchor is stored again as it was. One that was changed is reported earlier.',
        ],
      ]),
      ...equivalentIn('audit/head.ts', [
        ["readFileSync(path, 'utf8')", "'utf8'", '""', 'The parser reads bytes as UTF-8.'],
      ]),
      ...equivalentIn('audit/verify.ts', [
        [
          'if (row.number !== null && row.number > last.number + 1)',
          'row.number !== null',
          'true',
          'Null is not above a number.',
        ],
        [
          '((await readChain(db))?.number ?? 0) + 1',
          '(await readChain(db))?.number',
          '(await readChain(db)).number',
          'The chain was there when the verification began.',
        ],
        [
          'if (head.number <= chain.anchor_number) return undefined',
          'head.number <= chain.anchor_number',
          'false',
          'A removed row is not found, and its number is compared with the anchor then.',
        ],
        [
          'if (head.number <= chain.anchor_number) return undefined',
          'head.number <= chain.anchor_number',
          'head.number < chain.anchor_number',
          'A removed row is not found, and its number is compared with the anchor then.',
        ],
      ]),
    ],
  },
  {
    name: 'writes',
    guarantee: 'A write reaches the ERP at most once, and an unknown outcome is never reported as a failure.',
    files: source(
      'writes/ask.ts',
      'writes/document-lock.ts',
      'writes/failures.ts',
      'writes/intent.ts',
      'writes/order-count.ts',
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
        [
          'await plan.check?.(tx)',
          'plan.check?.(tx)',
          'plan.check(tx)',
          'The branch is taken only with a check.',
        ],
        [
          'if (intent.scope !== null) await freeKey(',
          'intent.scope !== null',
          'true',
          'No key has the scope null.',
        ],
      ]),
      ...equivalentIn('writes/order-count.ts', [
        [
          "const [subject = ''] = kind.split('.', 1)",
          "''",
          '"Stryker was here!"',
          'A text that is split has a first part.',
        ],
      ]),
      ...equivalentIn('writes/perform.ts', [
        [
          'if (scope !== null) await storeSettledResponse(',
          'scope !== null',
          'true',
          'No key has the scope null.',
        ],
        [
          'if (intent.scope !== null) await freeKey(',
          'intent.scope !== null',
          'true',
          'No key has the scope null.',
        ],
        ['finally { deadline.end() }', 'deadline.end()', ';', 'The timer ends by itself, after the write.'],
        [
          'finally { deadline.end() }',
          '{ deadline.end() }',
          '{}',
          'The timer ends by itself, after the write.',
        ],
      ]),
    ],
  },
  {
    name: 'settlement',
    guarantee:
      'A write of unknown outcome is undone only if the ERP cannot have it and cannot get it any more.',
    files: source('writes/settle.ts', 'writes/sightings.ts', 'writes/timing.ts'),
    suite: [
      ...source('writes/sightings.test.ts', 'writes/timing.test.ts'),
      ...overHttp('settle-outcomes', 'settlement', 'settling-erp', 'weaker-erp', 'restored-late'),
    ],
    equivalent: equivalentIn('writes/settle.ts', [
      [
        'if (isMiss && sighting.missedAt !== undefined && now',
        'sighting.missedAt !== undefined',
        'true',
        'Without a time, the difference is NaN, which is not enough.',
      ],
    ]),
  },
  {
    name: 'figures',
    guarantee: 'The stock figures of a write are stored before its response, and never change its outcome.',
    files: source('writes/publish.ts'),
    suite: overHttp('publish-figures'),
    equivalent: equivalentIn('writes/publish.ts', [
      [
        'rows: [...rows.values()], gone: [], gone_seq: null',
        '[]',
        '["Stryker was here"]',
        'A SKU that is not stored cannot go.',
      ],
    ]),
  },
  {
    name: 'lost',
    guarantee: 'After a restore, an order that the ERP has, or may still get, is not placed again.',
    files: source('writes/lost.ts'),
    suite: source('writes/lost.test.ts'),
    equivalent: [],
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
        [
          'if (body === response.body) continue',
          'body === response.body',
          'false',
          'What has not changed is stored again as it was.',
        ],
      ]),
      ...equivalentIn('writes/sealed-keys.ts', [
        [
          "gateway.secrets.unseal(answer_sealed ?? '', toSealPurpose(scope))",
          "''",
          '"Stryker was here!"',
          'Neither text is sealed, so both are refused.',
        ],
      ]),
    ],
  },
]
