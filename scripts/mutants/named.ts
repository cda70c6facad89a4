/**
 * Named mutants. Each removes one guard of the product by one small change of the source, and names the test that must
 * fail without that guard. `npm run mutants -- --named` makes the changes one at a time in a copy of the tree.
 *
 * The changes of one file do not overlap, because the types are checked with all of them at once.
 */

/** The tests that judge a mutant. */
export interface Tests {
  readonly file: string
  /** A part of the names of the suites and the test, joined by spaces; all tests of the file without it. */
  readonly name?: string
  /** Whether the tests run only if `TEST_FAULTS=1` asks for long trials. */
  readonly isLong?: true
  /** Whether the tests run only if `TEST_DATABASE_URL` names a PostgreSQL. */
  readonly needsPostgres?: true
}

export interface NamedMutant {
  /** Says which guard is missing. */
  readonly name: string
  /** What the code promises. */
  readonly guard: string
  readonly file: string
  /** The code that is replaced. It occurs exactly once in the file. */
  readonly original: string
  readonly replacement: string
  readonly tests: Tests
  /** Whether the tests may run without an end, which then counts as killed. */
  readonly hangs?: true
}

const source = (path: string) => `packages/gateway/src/${path}.ts`
const overHttp = (path: string) => `packages/gateway/tests/${path}.test.ts`
const mirror = (path: string) => `packages/sdk/src/mirror/${path}.ts`
const ofMirror = (path: string) => `packages/sdk/tests/mirror/${path}.test.ts`
const beside = (path: string) => `packages/gateway/src/${path}.test.ts`

/** What happens to orders and their outcomes. */
const writes: readonly NamedMutant[] = [
  {
    name: 'session-lock-not-of-the-session',
    guard: 'A lock is held as long as the session of its holder lives.',
    file: source('store/session-locks'),
    original: 'select pg_try_advisory_lock(hashtextextended',
    replacement: 'select pg_try_advisory_xact_lock(hashtextextended',
    tests: {
      file: overHttp('store'),
      name: 'ends a lock with the connection of its holder, and holds it across processes',
      needsPostgres: true,
    },
  },
  {
    name: 'submitted-preview-called-over',
    guard: 'A drop-ship submit that names its preview again is answered with the order that it became.',
    file: source('dropship/submit'),
    original: 'if (!isOrder(row) && !isLivePreview(gateway, row))',
    replacement: 'if (!isLivePreview(gateway, row))',
    tests: { file: overHttp('dropship'), name: 'that names its preview again is one order' },
  },
  {
    name: 'held-stock-outside-the-queue',
    guard: 'A write that consumes or replaces a hold also waits its turn for the stock of the hold.',
    file: source('holds/store'),
    original: 'if (!hold) return { warehouses, skus }',
    replacement: 'if (!hold || skus.length > 0) return { warehouses, skus }',
    tests: {
      file: overHttp('order-queue'),
      name: 'is changed by one write at a time, where it locks SKUs and a draft holds another SKU',
    },
  },
  {
    name: 'each-lock-waits-anew',
    guard: 'A write waits 25 seconds for all of its locks together.',
    file: source('writes/serialize'),
    original: 'const waitMs = Math.max(0, until - gateway.clock.monotonic())',
    replacement: 'const waitMs = maxWaitMs + 0 * until',
    tests: { file: beside('writes/serialize'), name: 'waits 25 seconds for all of its locks together' },
  },
  {
    name: 'each-queue-waits-anew',
    guard: 'A request that has queued in its process waits for other processes only as long as it has left.',
    file: source('store/request-locks'),
    original: 'const left = Math.max(0, until - systemClock.monotonic())',
    replacement: 'const left = waitMs + 0 * until',
    tests: {
      file: beside('store/request-locks'),
      name: 'waits for other processes only as long as it has left',
    },
  },
  {
    name: 'draft-of-a-backup-believed',
    guard: 'A draft of a backup is read as the order that it has become since.',
    file: source('orders/lost'),
    original: "if (row.status !== 'draft' || row.in_doubt === 1 || !isOfBackup) return row",
    replacement: "if (row.status !== '') return row",
    tests: {
      file: overHttp('restored-late'),
      name: 'is found by its id, if the ERP fenced its first reference',
    },
  },
  {
    name: 'figures-decide-the-outcome',
    guard: 'What happens to the figures of a committed write does not change its response.',
    file: source('writes/publish'),
    original: "    gateway.nudge('stock')\n  }\n}",
    replacement: '    throw error\n  }\n}',
    tests: {
      file: overHttp('perform-write'),
      name: 'leave the write done if they cannot be stored or followed',
    },
  },
  {
    name: 'undo-after-one-look-up',
    guard: 'A write is believed absent only after two look-ups with a pause between them.',
    file: source('writes/settle'),
    original: 'if (isMiss && sighting.missedAt !== undefined && now - sighting.missedAt >= pause) {',
    replacement: 'if (isMiss) {',
    tests: { file: overHttp('settlement'), name: 'is not believed absent after one look-up' },
  },
  {
    name: 'silence-not-awaited',
    guard: 'No look-up counts while a request that is late may still take effect.',
    file: source('writes/settle'),
    original: "const isMiss = state !== 'in_progress' && now >= silentUntil",
    replacement: "const isMiss = state !== 'in_progress'",
    tests: { file: overHttp('settlement'), name: 'is not believed absent while a late request' },
  },
  {
    name: 'outcome-applied-twice',
    guard: 'An outcome is committed only by whoever removes its intent.',
    file: source('writes/intent'),
    original: 'if (numDeletedRows !== 1n) throw new SettledElsewhere()',
    replacement: 'if (numDeletedRows > 1n) throw new SettledElsewhere()',
    tests: { file: overHttp('events'), name: 'is not made by a change that is rolled back' },
  },
  {
    name: 'later-write-taken-for-an-earlier-one',
    guard: 'The outcome of a write never ends a later one of the same document under the same reference.',
    file: source('writes/intent'),
    original: 'return { document_id, kind, reference, sent_at, request_id }',
    replacement: 'return { document_id, kind, reference }',
    tests: {
      file: overHttp('perform-write'),
      name: 'leaves the same write alone that another process has begun since',
    },
  },
  {
    name: 'sent-after-a-suspension',
    guard: 'A write is not sent once its machine was suspended for longer than a write may be idle.',
    file: source('writes/perform'),
    original: 'return Math.max(clock.monotonic() - monotonic, clock.machine() - machine)',
    replacement: 'return clock.monotonic() - monotonic + 0 * machine',
    tests: { file: overHttp('perform-write'), name: 'its machine was suspended' },
  },
  {
    name: 'commit-split-from-outbox',
    guard: 'One transaction commits an outcome and its event, or neither.',
    file: source('writes/perform'),
    original: `const reply = await gateway.store.db.transaction().execute(async (tx) => {
    await closeIntent(tx, intent)`,
    replacement: `const apart = <T>(work: (tx: Tx) => Promise<T>) => work(gateway.store.db as unknown as Tx)
  const reply = await apart(async (tx) => {
    await closeIntent(tx, intent)`,
    tests: { file: overHttp('events'), name: 'is not made if the commit of its order fails at its end' },
  },
  {
    name: 'sent-without-its-lock',
    guard: 'Nothing is sent to the ERP once the lock of the document is lost.',
    file: source('writes/perform'),
    original: 'if (plan.held.lost.aborted) throw toLockLostError()',
    replacement: '',
    tests: { file: overHttp('lost-locks'), name: 'begins no send after it' },
  },
  {
    name: 'sent-with-a-revoked-token',
    guard: 'A write that waited is sent only if its token is still valid.',
    file: source('writes/perform'),
    original: 'if (call?.caller) await gateway.sessions.requireLive(call.caller)',
    replacement: '',
    tests: { file: overHttp('access-revoke'), name: 'is not sent where its token was revoked meanwhile' },
  },
  {
    name: 'submitted-draft-overwritten',
    guard: 'A draft is changed only while it is a draft, whatever was read before the commit.',
    file: source('orders/kind'),
    original: ".where('status', '=', 'draft').where('in_doubt', '=', 0)",
    replacement: '',
    tests: { file: overHttp('lost-locks'), name: 'is not overwritten by' },
  },
  {
    name: 'document-not-locked',
    guard: 'One request at a time works on a document.',
    file: source('writes/document-lock'),
    original: 'gateway.store.withLock(lock, maxWaitMs,',
    replacement: `gateway.store.withLock(\`\${lock} \${Math.random()}\`, maxWaitMs,`,
    tests: { file: overHttp('clocks-and-hints'), name: 'keeps a second void of the' },
  },
  {
    name: 'write-repeated-by-itself',
    guard: 'A write is never sent twice by itself.',
    file: source('upstream/guarded'),
    original: "if (operations[id].kind === 'write' || id === 'sign_in' || signal?.aborted) return false",
    replacement: "if (id === 'sign_in' || signal?.aborted) return false",
    tests: { file: beside('upstream/guarded'), name: 'a write is never sent twice' },
  },
  {
    name: 'read-only-at-the-front-only',
    guard: 'In read-only mode no write reaches the ERP, whichever code sends it.',
    file: source('upstream/read-only'),
    original: "if (operations[id].kind === 'write') writes.requireOpen()",
    replacement: '',
    tests: { file: beside('upstream/guarded'), name: 'read-only mode lets no write through' },
  },
  {
    name: 'holds-without-a-limit',
    guard: 'A channel has a bounded number of live holds.',
    file: source('holds/store'),
    original: 'if (Number((await countLive()).live) < maxLive) return',
    replacement: 'if (Number((await countLive()).live) >= 0) return',
    tests: { file: overHttp('reservations'), name: 'is refused beyond 50 live ones of a channel' },
  },
  {
    name: 'max-total-not-sent',
    guard: 'The ERP never charges more than the draft or its submit allows.',
    file: source('orders/submit'),
    original: 'max_total: toMaxTotal(gateway, wanted, request) }',
    replacement: 'max_total: null }',
    tests: { file: overHttp('orders'), name: 'is bounded by max_total, of the draft or of the submit' },
  },
  {
    name: 'promised-price-not-sent',
    guard: 'The price of a preview stands until it expires.',
    file: source('orders/submit'),
    original: 'expected_total: promise?.total ?? null }',
    replacement: 'expected_total: null }',
    tests: { file: overHttp('orders'), name: 'stands until price_expires_at' },
  },
  {
    name: 'price-lost-with-its-hold',
    guard: 'A drop-ship submit is charged what its preview said although the preview holds nothing.',
    file: source('dropship/submit'),
    original: 'return newest && isStanding ? newest.quoted_total : null',
    replacement: 'return newest?.hold_id && isStanding ? newest.quoted_total : null',
    tests: { file: overHttp('dropship'), name: 'though it is of a preview' },
  },
  {
    name: 'duplicate-not-suspected',
    guard: 'The same drop-ship order within the duplicate window is refused.',
    file: source('dropship/submit'),
    original: '    if (refusal) throw refusal\n',
    replacement: '',
    tests: { file: overHttp('dropship'), name: 'is answered for the same number, SKU and recipient' },
  },
  {
    name: 'window-over-before-its-outcome',
    guard: 'The duplicate window of an order of unknown outcome begins when the outcome becomes known.',
    file: source('dropship/submit'),
    original: '(settled_at ?? placed_at ?? updated_at)',
    replacement: '(placed_at ?? settled_at ?? updated_at)',
    tests: { file: overHttp('settlement'), name: 'is a suspected duplicate for a whole window after' },
  },
  {
    name: 'submit-beside-a-preview-in-doubt',
    guard: 'No drop-ship order takes stock while a preview of its number may hold some.',
    file: source('dropship/submit'),
    original: 'if (!hold) refuseOpenWrites(rows)',
    replacement: 'if (!hold && rows.length < 0) refuseOpenWrites(rows)',
    tests: { file: overHttp('settlement'), name: 'keeps a submit of its number waiting' },
  },
  {
    name: 'absent-during-the-lag',
    guard:
      'A person’s "absent" is believed only when a look-up shows the latest request that may have arrived.',
    file: source('writes/settle'),
    original: ' + capabilities.lookup_lag_ms',
    replacement: '',
    tests: {
      file: overHttp('settle-outcomes'),
      name: 'is not believed while a look-up may not show what the ERP has',
    },
  },
  {
    name: 'confirmed-while-it-is-cancelled',
    guard: 'A reservation is not confirmed while the outcome of its cancel is open.',
    file: source('reservations/end'),
    original: "        .where('status', '=', 'reserved')\n        .where('in_doubt', '=', 0)",
    replacement: "        .where('status', '=', 'reserved')",
    tests: {
      file: overHttp('lost-locks'),
      name: 'is no draft, while another process cancels its reservation',
    },
  },
  {
    name: 'preview-outlives-its-expiry',
    guard: 'A preview is over from the millisecond of its expiry, also if it holds nothing.',
    file: source('dropship/request'),
    original: 'row.expires_at > gateway.clock.now()',
    replacement: 'row.expires_at >= gateway.clock.now()',
    tests: { file: overHttp('dropship'), name: 'can be submitted until the millisecond of its expiry' },
  },
  {
    name: 'hold-outlives-its-expiry',
    guard: 'A hold is over from the millisecond of its expiry, released or not.',
    file: source('holds/store'),
    original: 'hold.expires_at > clock.now()',
    replacement: 'hold.expires_at >= clock.now()',
    tests: {
      file: overHttp('reservations'),
      name: 'has no hold for a preview of its draft from the millisecond of its expiry',
    },
  },
]

/** What an `Idempotency-Key` promises. */
const keys: readonly NamedMutant[] = [
  {
    name: 'key-freed-in-doubt',
    guard: 'A key stays used while the outcome of its write is unknown.',
    file: source('writes/keys'),
    original: "return state === 'failed' || (state === 'completed' && expires_at <= now)",
    replacement: "return state !== 'completed' || expires_at <= now",
    tests: { file: overHttp('events'), name: 'is made once where the retry with the key settles the order' },
  },
  {
    name: 'operators-response-not-stored',
    guard: 'A change by an operator that cannot be made twice stores its response in its own commit.',
    file: source('writes/keys'),
    original: 'if (!call?.audit) return',
    replacement: 'if (call?.audit?.status !== 299) return',
    tests: {
      file: overHttp('access-idempotency'),
      name: 'replays what was committed, though the process ended',
    },
  },
  {
    name: 'key-not-locked',
    guard: 'One request at a time runs under a key.',
    file: source('idempotency/run'),
    original: 'gateway.store.withLock(toKeyLockName(keyed.scope), waitMs,',
    replacement: `gateway.store.withLock(\`\${toKeyLockName(keyed.scope)} \${Math.random()}\`, waitMs,`,
    tests: { file: overHttp('orders'), name: 'tells what became of a key' },
  },
  {
    name: 'key-expires-early',
    guard: 'A key replays its response for 24 hours.',
    file: source('writes/keys'),
    original: 'const keptMs = 24 * 60 * 60 * 1000',
    replacement: 'const keptMs = 23 * 60 * 60 * 1000',
    tests: { file: overHttp('access-idempotency'), name: 'replays for 24 hours' },
  },
  {
    name: 'fingerprint-not-compared',
    guard: 'A key is refused for another body.',
    file: source('idempotency/run'),
    original: 'if (!isSameRequest(gateway, row, fingerprint)) {',
    replacement: "if (fingerprint === '') {",
    tests: { file: overHttp('orders'), name: 'with another body is refused for one point' },
  },
  {
    name: 'replay-not-marked',
    guard: 'A response that is replayed says so.',
    file: source('idempotency/run'),
    original: 'headers: [...response.headers, ...replayedHeader]',
    replacement: 'headers: response.headers',
    tests: { file: overHttp('orders'), name: 'replays each write byte for byte' },
  },
  {
    name: 'key-of-any-channel',
    guard: 'A key belongs to the channel and the account that sent it.',
    file: source('idempotency/run'),
    original: `\`\${call.caller.channel_code} \${call.caller.account?.account_id ?? ''}\``,
    replacement: "'caller'",
    tests: { file: overHttp('access-idempotency'), name: 'of another channel is another key' },
  },
  {
    name: 'early-retry-charged-in-full',
    guard: 'A retry with a key whose work is not done costs one point.',
    file: source('pipeline/pipeline'),
    original: "error.code.startsWith('IDEMPOTENCY_')",
    replacement: "error.code.startsWith('IDEMPOTENCY_MIS')",
    tests: { file: overHttp('settlement'), name: 'costs one point for each retry with its key' },
  },
]

/** What stock and the change feed promise. */
const stock: readonly NamedMutant[] = [
  {
    name: 'page-kept-at-once',
    guard: 'A page is kept when it is requested a second time.',
    file: source('stock/kept-pages'),
    original: 'if (known === undefined) {',
    replacement: 'if (name === "") {',
    tests: { file: overHttp('stock-read'), name: 'is kept at its second request' },
  },
  {
    name: 'page-compressed-for-each',
    guard: 'A kept page is compressed once.',
    file: source('stock/kept-pages'),
    original: 'return { chunks: [joinAlone([...listPieces(chunks)])], size, key }',
    replacement:
      'return { chunks: [joinAlone([...listPieces(chunks)])], size, key: key === "" ? key : undefined }',
    tests: { file: overHttp('stock-read'), name: 'once, for all who request it later' },
  },
  {
    name: 'pull-listed-at-once',
    guard: 'A full pull lists the pieces of its blocks while it is sent.',
    file: source('http/compress'),
    original: 'if (size > maxJoinedBytes) return listPieces(body.chunks)',
    replacement: 'if (size > maxJoinedBytes) return [...listPieces(body.chunks)]',
    tests: { file: beside('http/compress'), name: 'lists the pieces of a large body while it is sent' },
  },
  {
    name: 'counter-row-not-locked',
    guard:
      'Versions are taken under the lock of the counter row, so that they become visible in their order.',
    file: source('stock/write'),
    original: `  return tx
    .updateTable('warehouses')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('warehouse_code', '=', warehouse)
    .returning(['version', 'members', 'kind'])`,
    replacement: `  return tx.selectFrom('warehouses').where('warehouse_code', '=', warehouse).select(['version', 'members', 'kind'])`,
    tests: {
      file: overHttp('faults/postgres-feed'),
      name: 'tells every version that was not superseded',
      needsPostgres: true,
    },
  },
  {
    name: 'each-process-has-its-own-clock',
    guard: 'Several processes have one time, whatever the clocks of their machines say.',
    file: source('compose'),
    original: 'readClock ? await SharedClock.open(readClock)',
    replacement: 'readClock === null ? await SharedClock.open(readClock)',
    tests: {
      file: overHttp('faults/four-processes'),
      name: 'have one time, whatever the clocks of their machines say',
      isLong: true,
      needsPostgres: true,
    },
  },
  {
    name: 'lost-lease-renewed',
    guard: 'A lease whose taking lost its answer stands still, so that some process takes it.',
    file: source('store/leases'),
    original: ".where('holder', '=', this.#holder).where('name', 'in', names)",
    replacement: ".where('holder', '=', this.#holder)",
    tests: { file: overHttp('leases'), name: 'is taken again, although its process renews its other leases' },
  },
  {
    name: 'unreadable-document-stops-all',
    guard: 'A document that the ERP cannot report keeps no other one from being read.',
    file: source('upstream/unreadable'),
    original: "(error.kind === 'malformed' || error.kind === 'failed')) return error",
    replacement: "(error.kind === 'malformed' || error.kind === 'failed')) throw error",
    tests: { file: overHttp('unreadable-document'), name: 'delays that document only' },
  },
  {
    name: 'readiness-lost-later',
    guard: 'A warehouse that is added later makes no process unready.',
    file: source('snapshot/stock-mirror'),
    original: 'this.#isReady ||= this.#isReady === undefined ? hasStock : this.isFilled',
    replacement: 'this.#isReady = hasStock && this.isFilled',
    tests: { file: overHttp('listed-warehouses'), name: 'leaves every process ready' },
  },
  {
    name: 'unreadable-row-stops-all',
    guard: 'A SKU that the ERP cannot report keeps no other one from being read.',
    file: source('upstream/unreadable'),
    original: 'await reader.read([...codes]).catch(catchUnreadable)',
    replacement: 'await reader.read([...codes])',
    tests: { file: overHttp('unreadable-stock'), name: 'delays that SKU only' },
  },
  {
    name: 'view-without-its-members',
    guard: 'A view sums the members that the database says, whoever writes.',
    file: source('stock/write'),
    original: '.filter(({ members }) => JSON.parse(members).includes(warehouse))',
    replacement: '.filter(() => false)',
    tests: { file: overHttp('stock-sync'), name: 'has the members of the database, whoever writes' },
  },
  {
    name: 'version-for-an-unchanged-row',
    guard: 'A row takes a version only if a published field has changed.',
    file: source('stock/write'),
    original: 'if (before && isSame(before, fields)) confirmUnchanged(before, figure.stock_seq)',
    replacement:
      "if (before && isSame(before, fields) && figure.sku === '') confirmUnchanged(before, figure.stock_seq)",
    tests: { file: overHttp('stock-sync'), name: 'takes one version per changed row' },
  },
  {
    name: 'older-figure-overwrites',
    guard: 'An older figure of the ERP never overwrites a newer one.',
    file: source('stock/write'),
    original: 'return isComparable && seq < stock_seq',
    replacement: 'return (isFigureNumber(seq) || !change.seqMayRestart) && seq === undefined',
    tests: { file: overHttp('stock-sync'), name: 'never lets an older figure overwrite a newer one' },
  },
  {
    name: 'figure-not-numbered',
    guard: 'Without a counter of the ERP, the figure that was requested last wins.',
    file: source('stock/figure-numbers'),
    original: 'if (upstream.known?.stock_seq === true) return undefined',
    replacement: 'if (upstream.known?.stock_seq !== undefined) return undefined',
    tests: { file: overHttp('clocks-and-hints'), name: 'a stock figure without a counter' },
  },
  {
    name: 'confirmed-figure-not-noted',
    guard: 'A figure that confirms a row keeps older ones from changing it.',
    file: source('stock/write'),
    original: 'if (confirmed.length > 0) await saveNewerCounters(',
    replacement: 'if (confirmed.length < 0) await saveNewerCounters(',
    tests: { file: overHttp('clocks-and-hints'), name: 'that says what is known is newer' },
  },
  {
    name: 'everything-not-confirmed',
    guard: 'What is read because everything may have changed keeps older figures from coming after it.',
    file: source('stock/read-whole'),
    original: "leavesUnchanged: changes === 'none' || isComparison,",
    replacement: "leavesUnchanged: changes === 'none' || isComparison || since !== null,",
    tests: { file: overHttp('clocks-and-hints'), name: 'a stock figure without a counter' },
  },
  {
    name: 'comparison-spends-hints',
    guard: 'A comparison leaves the hints since its cursor to be followed.',
    file: source('stock/read-whole'),
    original: '...(isComparison ? {} : { cursor }),',
    replacement: '...{ cursor },',
    tests: { file: overHttp('clocks-and-hints'), name: 'that was hinted during a comparison' },
  },
  {
    name: 'lost-number-given-again',
    guard: 'A number that the database has lost is not given again.',
    file: source('stock/figure-numbers'),
    original: '.else(now)',
    replacement: ".else(eb('counters.value', '+', 1))",
    tests: {
      file: overHttp('clocks-and-hints'),
      name: 'has a higher number than those that a database has lost',
    },
  },
  {
    name: 'cursor-ahead-by-the-mirror',
    guard: 'A cursor is called "ahead" by the database, not by a mirror that lags.',
    file: source('stock/feed'),
    original: 'if (named <= version) return replyFromMirror(gateway, call, query)',
    replacement: 'if (named > 0) return replyFromMirror(gateway, call, query)',
    tests: { file: overHttp('stock-feed'), name: 'judges "ahead" by the database' },
  },
  {
    name: 'expired-cursor-followed',
    guard: 'A cursor that is older than the horizon gets a full sync.',
    file: source('stock/feed'),
    original: "return since < horizon ? 'expired' : undefined",
    replacement: "return since < 0 * horizon ? 'expired' : undefined",
    tests: { file: overHttp('stock-feed'), name: 'follows a cursor for seven days' },
  },
  {
    name: 'page-not-cut-to-points',
    guard: 'A page of the feed has no more rows than its caller can pay.',
    file: source('stock/feed'),
    original: 'const maxRows = paid < maxPoints ? Math.min(query.page_size, paid) : query.page_size',
    replacement: 'const maxRows = paid < 0 ? Math.min(query.page_size, paid) : query.page_size',
    tests: { file: overHttp('stock-feed'), name: 'never answers 429 while a point is left' },
  },
  {
    name: 'stored-without-the-lease',
    guard: 'A stock sync that another process has taken over stores nothing that it read before.',
    file: source('stock/write'),
    original: 'await change.lease?.requireHeld(tx)',
    replacement: '',
    tests: {
      file: overHttp('stock-sync'),
      name: 'stores nothing of what it has read',
      needsPostgres: true,
    },
  },
]

/** What events and webhooks promise. */
const events: readonly NamedMutant[] = [
  {
    name: 'numbered-without-the-lock',
    guard:
      'Events are numbered under the lock of their counter, so that numbers become visible in their order.',
    file: source('webhooks/sequence'),
    original: `  return tx
    .updateTable('counters')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', eventsCounter)
    .returning('value')`,
    replacement: "  return tx.selectFrom('counters').where('name', '=', eventsCounter).select('value')",
    tests: {
      file: overHttp('faults/webhook-processes'),
      name: 'events that eight connections write',
      needsPostgres: true,
    },
  },
  {
    name: 'event-read-without-owner',
    guard: 'A channel reads only its own events and those for every channel.',
    file: source('events/read'),
    original: 'if (row.channel_code !== everyChannel && row.channel_code !== caller.channel_code)',
    replacement: "if (row.channel_code !== everyChannel && caller.channel_code === '')",
    tests: { file: overHttp('events'), name: 'reads one event as it is delivered' },
  },
  {
    name: 'events-listed-without-owner',
    guard: 'The list of events has only those of its channel and those for every channel.',
    file: source('events/read'),
    original: "await buildSpanQuery(db, span).where('channel_code', '=', caller.channel_code).execute()",
    replacement: "await buildSpanQuery(db, span).where('channel_code', '!=', everyChannel).execute()",
    tests: { file: overHttp('events'), name: 'reads one event as it is delivered, and no other channel’s' },
  },
  {
    name: 'withheld-by-the-former-allowlist',
    guard: 'An event goes only to a channel that may see its warehouse at the attempt.',
    file: source('webhooks/payload'),
    original: 'isVisible(target.visibility, { warehouse_code, kind })',
    replacement: "kind !== ''",
    tests: { file: overHttp('events'), name: 'follows the allowlist as it is at the attempt' },
  },
  {
    name: 'retried-too-early',
    guard: 'A failed delivery is never tried before its time.',
    file: source('webhooks/schedule'),
    original: 'return retryDelaysMs[failures - 1]',
    replacement: 'return retryDelaysMs[failures - 1] && 1_000',
    tests: { file: overHttp('webhooks'), name: 'is tried at 0 s, 30 s, 2 min' },
  },
  {
    name: 'address-checked-before-resolving-only',
    guard: 'A webhook goes only to a name all of whose addresses are public.',
    file: source('webhooks/egress'),
    original: `if (!addresses.every(check)) throw new NotPublic(\`\${host} has an address that is not public.\`)`,
    replacement: '',
    tests: { file: overHttp('webhook-egress'), name: 'is opened to none of a thousand answers' },
  },
  {
    name: 'resolved-again-at-connect',
    guard: 'A connection is opened to the address that was checked.',
    file: source('webhooks/egress'),
    original: "const hostname = addresses[at] ?? ''",
    replacement: "const hostname = at < 0 ? '' : host",
    tests: { file: overHttp('webhook-egress'), name: 'goes to the address that was checked' },
  },
  {
    name: 'stored-url-not-checked',
    guard: 'The text of a URL is checked again before it is called.',
    file: source('webhooks/egress'),
    original: '    if (findUrlFlaw(url, this.#config)) return undefined\n',
    replacement: '',
    tests: { file: overHttp('webhook-egress'), name: 'a connection is not opened for' },
  },
  {
    name: 'embedded-ipv4-is-public',
    guard: 'An IPv6 address that contains an IPv4 one is not public.',
    file: source('webhooks/address'),
    original: "new Networks(['0.0.0.0/0', '2000::/3'])",
    replacement: "new Networks(['0.0.0.0/0', '::/0'])",
    tests: { file: overHttp('webhook-egress'), name: 'is not opened where a name resolves to' },
  },
  {
    name: 'late-outcome-overwrites',
    guard: 'The outcome of an attempt never replaces that of a later one.',
    file: source('webhooks/queue'),
    original: 'where o.delivery_id = d.delivery_id and d.attempts = o.attempts and',
    replacement: 'where o.delivery_id = d.delivery_id and',
    tests: { file: overHttp('webhook-queue'), name: 'does not replace that of a later attempt' },
  },
  {
    name: 'lease-of-another-released',
    guard: 'A process releases only the queues that it has leased.',
    file: source('webhooks/queue'),
    original: `where r.id = q.endpoint_id and q.leased_by = \${owner}`,
    replacement: 'where r.id = q.endpoint_id',
    tests: { file: overHttp('webhook-queue'), name: 'is released only by the process that has it' },
  },
  {
    name: 'living-leases-freed',
    guard: 'Only the leases of a process that has ended are freed.',
    file: source('webhooks/queue'),
    original:
      'gateway.store.withLock(toProcessLockName(other), 0, () => freeStrayLeases(gateway, other, []))',
    replacement: 'freeStrayLeases(gateway, other, [])',
    tests: {
      file: overHttp('webhook-queue'),
      name: 'is freed if its process has ended, and not if it lives',
    },
  },
  {
    name: 'attempt-outlasts-its-lease',
    guard: 'An attempt ends within the lease of its queue.',
    file: source('webhooks/dispatch'),
    original: 'now - leasedAt < leaseMs - attemptTimeoutMs',
    replacement: 'now - leasedAt < leaseMs - 0 * attemptTimeoutMs',
    tests: { file: overHttp('webhooks'), name: 'gets no attempt that may last longer than its lease' },
  },
  {
    name: 'sent-with-old-settings',
    guard: 'Nothing is delivered with settings that are older than a second.',
    file: source('webhooks/dispatch'),
    original: 'const maxStaleMs = 1_000',
    replacement: 'const maxStaleMs = 1_000 * 1e9',
    tests: { file: overHttp('webhooks'), name: 'gets no attempt with settings that are older than a second' },
  },
]

/** Who may read and do what. */
const access: readonly NamedMutant[] = [
  {
    name: 'no-owner-check',
    guard: 'A document is read and changed only by its channel.',
    file: source('documents/own'),
    original: "if (row.channel_code !== caller.channel_code) throw new GatewayError('OWNERSHIP_DENIED')",
    replacement: "if (caller.channel_code === '') throw new GatewayError('OWNERSHIP_DENIED')",
    tests: { file: overHttp('order-access'), name: 'is OWNERSHIP_DENIED where a body names it' },
  },
  ...(
    [
      ['orders', 'orders/read', "\n    .where('channel_code', '=', caller.channel_code)", 'order-access'],
      ['holds', 'holds/holds', ".where('channel_code', '=', caller.channel_code)", 'order-access'],
      ['dropship', 'dropship/read', "\n    .where('channel_code', '=', caller.channel_code)", 'order-access'],
      [
        'shipments',
        'shipments/shipments',
        "\n    .where('channel_code', '=', caller.channel_code)",
        'order-access',
      ],
    ] as const
  ).map(([list, file, original, test]) => ({
    name: `no-owner-clause-${list}`,
    guard: `The list of ${list} has only those of its channel.`,
    file: source(file),
    original,
    replacement: '',
    tests: { file: overHttp(test), name: 'is on no list, whatever the filter' },
  })),
  {
    name: 'statement-of-any-customer',
    guard: 'A statement is that of the channel’s own customer.',
    file: source('ledger/page'),
    original: 'const erpInput = { customer_code, currency, ...span.input }',
    replacement:
      "const erpInput = { customer_code: customer_code && 'CUST-HARBOUR', currency, ...span.input }",
    tests: { file: overHttp('statements'), name: 'sees nothing of another one in' },
  },
  {
    name: 'allowlist-not-checked',
    guard: 'A channel uses only the warehouses of its allowlist.',
    file: source('stock/warehouses'),
    original:
      'if (caller?.allowlist && !caller.allowlist.has(code)) throw toWarehouseDeniedError(caller, code, param)',
    replacement: '',
    tests: { file: overHttp('access-permissions'), name: 'is compared literally' },
  },
  {
    name: 'capability-not-checked',
    guard: 'A channel uses only what its plan and its account allow.',
    file: source('pipeline/stages/permissions'),
    original: 'if (!caller?.capabilities.has(capability)) throw toScopeError(capability, caller)',
    replacement: 'if (!caller) throw toScopeError(capability, caller)',
    tests: { file: overHttp('access-permissions'), name: 'tells the capability, the present plan' },
  },
  {
    name: 'business-switch-ignored',
    guard: 'A business that is switched off begins nothing new.',
    file: source('pipeline/stages/permissions'),
    original: 'if (businessSwitch && !caller.switches[businessSwitch])',
    replacement: 'if (businessSwitch && !caller.switches)',
    tests: { file: overHttp('access-permissions'), name: 'refuses to begin something new' },
  },
  {
    name: 'order-without-an-account',
    guard: 'Only the token of an account creates orders.',
    file: source('pipeline/stages/permissions'),
    original: "if (caller?.grant_type === 'password') return undefined",
    replacement: 'if (caller) return undefined',
    tests: { file: overHttp('access-permissions'), name: 'creation is OMS_LOGIN_REQUIRED' },
  },
  {
    name: 'expired-decision-used',
    guard: 'A token ends at its expiry, cached or not.',
    file: source('identity/sessions'),
    original: 'const isOver = clock.now() >= known.until',
    replacement: 'const isOver = clock.now() < 0',
    tests: { file: overHttp('access-jwt'), name: 'is over to the second' },
  },
  {
    name: 'revocation-not-read',
    guard: 'A token whose session was revoked is refused.',
    file: source('identity/sessions'),
    original: '    if (found.revoked_at !== null) {\n',
    replacement: '    if (found.revoked_at === 0) {\n',
    tests: {
      file: overHttp('access-revocation'),
      name: 'by the caller’s own revocation ends that token alone',
    },
  },
  {
    name: 'old-decision-outlives-an-outage',
    guard: 'A decision that the database does not confirm is used for a minute at most.',
    file: source('identity/sessions'),
    original: 'if (isOver || clock.monotonic() - this.#confirmedAt > unconfirmedMs)',
    replacement: 'if (isOver)',
    tests: { file: overHttp('access-outage'), name: 'a known token works for 60 seconds' },
  },
  {
    name: 'legacy-token-without-an-end',
    guard: 'Legacy tokens end on the configured day.',
    file: source('identity/sessions'),
    original: 'return clock.now() >= config.legacyTokens.until + lastSecondMs',
    replacement: 'return clock.now() + config.legacyTokens.until < 0',
    tests: { file: overHttp('access-legacy'), name: 'works through the whole last second' },
  },
  {
    name: 'legacy-token-of-the-future',
    guard: 'A legacy token that was issued more than a minute ahead is refused.',
    file: source('identity/sessions'),
    original: 'iat * 1000 <= clock.now() + maxClockSkewMs',
    replacement: 'iat * 1000 >= 0',
    tests: { file: overHttp('access-legacy'), name: 'is refused where it was issued in the future' },
  },
  {
    name: 'token-id-not-proven',
    guard: 'A token whose id no key made is refused before its signature is verified.',
    file: source('identity/keys'),
    original: 'if (idKey && !isSameText(proof, proveId(idKey, id)))',
    replacement: 'if (idKey && proof === id)',
    tests: { file: overHttp('access-jwt'), name: 'is refused without a look at its signature' },
  },
  {
    name: 'names-never-lock',
    guard: 'Five wrong passwords lock a name.',
    file: source('access/guard'),
    original: 'const isLocked = failures.length >= maxFailures',
    replacement: 'const isLocked = failures.length > maxFailures',
    tests: { file: overHttp('access-lockout'), name: 'answers the fifth wrong password like the first' },
  },
  {
    name: 'guesses-not-in-turn',
    guard: 'Guesses of one password at the same time are counted one by one.',
    file: source('access/guard'),
    original: `gateway.store.withLock(\`sign in \${subject}\`, signInWaitMs,`,
    replacement: `gateway.store.withLock(\`sign in \${subject} \${Math.random()}\`, signInWaitMs,`,
    tests: { file: overHttp('access-lockout'), name: 'has one guess at a time at the ERP' },
  },
  {
    name: 'admin-token-guessed-freely',
    guard: 'An address has five wrong admin tokens in a minute.',
    file: source('identity/token-guard'),
    original: 'await this.#count(from, maxTriesPerAddress, right)',
    replacement: '',
    tests: { file: overHttp('access-admin-brake'), name: 'of one address are refused with 429 after five' },
  },
]

/** What is sealed, signed and kept. */
const secrecy: readonly NamedMutant[] = [
  {
    name: 'mac-not-checked',
    guard: 'A signed text is believed only with the signature of one of the keys.',
    file: source('kernel/secrets'),
    original: 'keys.some((key) => isSameText(signature, signWith(key, text, purpose)))',
    replacement: 'keys.some((key) => signature.length === signWith(key, text, purpose).length)',
    tests: { file: overHttp('mcp-orders'), name: 'is refused when a single character of it differs' },
  },
  {
    name: 'recipient-sealed-for-any-row',
    guard: 'A sealed recipient opens for its own order only.',
    file: source('dropship/sealed-recipient'),
    original: `\`recipient of \${id} \${channel}\``,
    replacement: `\`recipient of \${id.slice(0, 0)} \${channel}\``,
    tests: { file: overHttp('recipients'), name: 'is opened for its own row and channel only' },
  },
  {
    name: 'webhook-secret-sealed-for-any-row',
    guard: 'A sealed webhook secret opens for its own endpoint only.',
    file: source('webhooks/sign'),
    original: `\`webhook secret \${endpoint_id} \${channel_code}\``,
    replacement: `\`webhook secret \${endpoint_id.slice(0, 0)} \${channel_code}\``,
    tests: { file: overHttp('secrets-key'), name: 'leaves a value alone that was moved to another row' },
  },
  {
    name: 'cursor-of-any-channel',
    guard: 'A cursor continues the list of its own channel only.',
    file: source('lists/cursor'),
    original: 'JSON.stringify([form, route, Object.entries(params), owner, sorted])',
    replacement: 'JSON.stringify([form, route, Object.entries(params), owner?.length, sorted])',
    tests: { file: overHttp('list-cursors'), name: 'is the same for the same channel, and of each channel' },
  },
  {
    name: 'erased-recipient-in-a-replay',
    guard: 'An erased recipient is also gone from the responses that keys replay.',
    file: source('dropship/erase-batch'),
    original: `    await eraseFromResponses(
      gateway,
      tx,
      rows.map((row) => row.dropship_order_id),
    )
`,
    replacement: '',
    tests: { file: overHttp('recipients'), name: 'of one order leaves the person in no table' },
  },
  {
    name: 'audit-row-not-verified',
    guard: 'Nobody without the key changes a row of the audit log unnoticed.',
    file: source('audit/verify'),
    original: 'if (row.mac !== link.mac)',
    replacement: "if (row.mac === '')",
    tests: { file: overHttp('audit-chain'), name: 'is found if a row has another detail' },
  },
  {
    name: 'restore-not-authentic',
    guard: 'Only a restore that a gateway recorded excuses that a noted end of the audit log is gone.',
    file: source('audit/losses'),
    original: 'return link.mac === row.mac ? link : undefined',
    replacement: 'return link',
    tests: { file: overHttp('audit-head'), name: 'stays if somebody without the key writes a row' },
  },
  {
    name: 'later-loss-excused-by-restore',
    guard: 'A restore excuses no loss of a row that was noted after it.',
    file: source('audit/losses'),
    original: 'const isNewer = row.at > Date.parse(noted.at)',
    replacement: 'const isNewer = true',
    tests: { file: overHttp('audit-head'), name: 'ms after the restore' },
  },
]

/** What an agent may rely on. */
const agents: readonly NamedMutant[] = [
  {
    name: 'refused-resource-without-code',
    guard: 'A refused read of a resource has the stable code and the envelope.',
    file: source('mcp/resources'),
    original: 'throw await toProtocolFailure(context, error)',
    replacement: 'throw (await toProtocolFailure(context, error)) && error',
    tests: { file: overHttp('mcp-protocol'), name: 'are refused with the stable code' },
  },
  {
    name: 'agent-parameters-unchecked',
    guard: 'A request of MCP without its parameters is the caller’s fault.',
    file: source('mcp/server'),
    original: 'if (!problem) return wrapped(request, context)',
    replacement: "if (!problem || method !== '') return wrapped(request, context)",
    tests: { file: overHttp('mcp-protocol'), name: 'requests without their parameters' },
  },
  {
    name: 'quote-of-any-caller',
    guard: 'A quote is of use only to the account that asked for it.',
    file: source('mcp/quote'),
    original: "JSON.stringify(['quote', installation, channel_code, account?.account_id ?? null])",
    replacement: "JSON.stringify(['quote', installation, channel_code.length > 0, account !== null])",
    tests: { file: overHttp('mcp-orders'), name: 'is of no use to another account' },
  },
  {
    name: 'quoted-total-not-confirmed',
    guard: 'A quote is placed only at the total that was confirmed.',
    file: source('mcp/place-quote'),
    original: '  requireTotal(quote, confirm_total)\n',
    replacement: '',
    tests: { file: overHttp('mcp-orders'), name: 'is refused with another total' },
  },
  {
    name: 'changed-draft-placed',
    guard: 'A quote places exactly what was quoted.',
    file: source('mcp/place-quote'),
    original: "if (content !== quote.content) throw toQuoteError('quote_invalid')",
    replacement: '',
    tests: {
      file: overHttp('mcp-orders'),
      name: 'is used up when its document was placed as something else',
    },
  },
  {
    name: 'any-origin',
    guard: 'Pages of other origins cannot use the MCP endpoint.',
    file: source('mcp/origin'),
    original: 'return isLoopback(config.host) && isLoopback(url.hostname)',
    replacement: "return config.host !== ''",
    tests: { file: overHttp('mcp-protocol'), name: 'refuses pages of other origins' },
  },
  {
    name: 'gap-in-a-statement',
    guard: 'A statement whose balances do not follow from each other is reported.',
    file: source('mcp/statement/check-statement'),
    original: 'before = balance_after\n    return gap',
    replacement: 'before = balance_after\n    return 0 * gap',
    tests: { file: overHttp('mcp-statement'), name: 'says by how much a book is off' },
  },
]

/** What the server does with any request. */
const platform: readonly NamedMutant[] = [
  {
    name: 'header-sent-twice',
    guard: 'A request with two values of a decisive header is refused.',
    file: source('http/server'),
    original: "if (twice !== undefined) return { say: ['header_twice', { name: twice }] }",
    replacement: '',
    tests: { file: overHttp('raw-tcp'), name: 'a header sent twice' },
  },
  {
    name: 'framing-not-checked',
    guard: 'A request whose framing two readers could read differently is refused.',
    file: source('http/server'),
    original: "const isChunked = coding?.toLowerCase() === 'chunked' && httpVersion === '1.1'",
    replacement: "const isChunked = coding !== ''",
    tests: { file: overHttp('raw-tcp-bodies'), name: 'framing that two readers would read differently' },
  },
  {
    name: 'connection-goes-on-after-a-refusal',
    guard: 'Nothing that follows a refused request on its connection is carried out.',
    file: source('http/server'),
    original: '    if (refused.has(socket)) return\n',
    replacement: '',
    tests: { file: overHttp('raw-tcp'), name: 'a request without a body that follows on the connection' },
  },
  {
    name: 'body-size-by-header-only',
    guard: 'A body is never read beyond its limit, whatever its headers say.',
    file: source('http/request-body'),
    original: 'if (size > maxBytes) throw toTooLargeError()',
    replacement: '',
    tests: { file: overHttp('raw-tcp-bodies'), name: 'bodies larger than allowed, or not wanted' },
  },
  {
    name: 'requests-ahead-wait-turns',
    guard: 'Requests that a client sends ahead are answered as fast as they arrive.',
    file: source('http/server'),
    original: '    makeGatheredWrites()',
    replacement: '    if (socket.destroyed) makeGatheredWrites()',
    tests: { file: overHttp('raw-tcp-connections'), name: 'where a client sends thousands ahead and reads' },
  },
  {
    name: 'drain-keeps-connections',
    guard: 'During a shutdown, each response closes its connection.',
    file: source('http/drain'),
    original: 'if (newest && !newest.headersSent) newest.shouldKeepAlive = false',
    replacement: '',
    tests: { file: overHttp('faults/drain'), name: 'says Connection: close', isLong: true },
  },
  {
    name: 'awaited-body-keeps-its-place',
    guard: 'A body that arrives slowly takes no place among the requests in flight.',
    file: source('http/adapter'),
    original: '    this.#endCount()\n    bodies.add(this.#request, this.call.address)',
    replacement: '    bodies.add(this.#request, this.call.address)',
    tests: { file: overHttp('overload'), name: 'bodies that arrive slowly' },
  },
  {
    name: 'known-key-shed',
    guard: 'A write whose key is under way is refused last.',
    file: source('http/overload'),
    original: "return load.isKnownKey(key) ? 'known' : 'keyed'",
    replacement: "return load.isKnownKey(key) ? 'write' : 'keyed'",
    tests: { file: overHttp('overload'), name: 'refuses keyed writes last' },
  },
  {
    name: 'classes-shed-together',
    guard: 'Pulls are shed first, and keyed writes last.',
    file: source('kernel/load-shedder'),
    original: 'const share = Math.min(1, this.value - (place - this.#first))',
    replacement: 'const share = Math.min(1, this.value)',
    tests: { file: beside('kernel/load-shedder'), name: 'sheds pulls first, then reads, then writes' },
  },
  {
    name: 'lost-write-late',
    guard: 'After a restore, what a look-up does not find may still arrive at the ERP.',
    file: source('writes/lost'),
    original: 'if (found === undefined && mayArrive) throw toDocumentInDoubtError(id)',
    replacement: '',
    tests: { file: overHttp('restored-late'), name: 'that arrives at the ERP after the first retry' },
  },
  {
    name: 'lost-fences-not-followed',
    guard: 'An order of the lost time is also searched for under the references after fenced ones.',
    file: source('writes/lost'),
    original: 'const mayHaveNext = fenced ?? reference === asked',
    replacement: 'const mayHaveNext = false && fenced',
    tests: { file: overHttp('restored-late'), name: 'before it was placed is found' },
  },
  {
    name: 'lost-preview-voided',
    guard: 'After a restore, a preview may be an order by now, and is voided as one.',
    file: source('dropship/void'),
    original: 'return work(await recoverPreview(context, row), held)',
    replacement: 'return work(row, held)',
    tests: { file: overHttp('restored'), name: 'voids a drop-ship order whose preview is in the backup' },
  },
  {
    name: 'event-id-of-lost-time',
    guard: 'An event of a restored database is none that a reader of the lost time knows.',
    file: source('events/outbox'),
    original: 'const text = origin === undefined ?',
    replacement: 'const text = origin !== null ?',
    tests: { file: overHttp('restored'), name: 'has another event for an order that is found again' },
  },
  {
    name: 'pulls-unbounded',
    guard: 'Only so many pulls share the bandwidth at a time.',
    file: source('http/adapter'),
    original: "if (this.#counted !== 'pull') this.#endCount()",
    replacement: 'this.#endCount()',
    tests: { file: overHttp('overload'), name: 'bounds the pulls that share the bandwidth' },
  },
  {
    name: 'gone-hold-refused',
    guard: 'A hold that the ERP does not have any more ends.',
    file: source('holds/release'),
    original: 'return isTooYoung ? answer : ok(',
    replacement: 'return isTooYoung || answer ? answer : ok(',
    tests: {
      file: overHttp('holds-gone'),
      name: 'does not keep the draft of its reservation from being voided',
    },
  },
  {
    name: 'entered-rows-shift-pages',
    guard: 'A page by number with as_of leaves out what entered the list since.',
    file: source('lists/stored'),
    original: 'if (entered === undefined || as_of === undefined || cursor !== undefined) return query',
    replacement:
      'if (now > 0 || entered === undefined || as_of === undefined || cursor !== undefined) return query',
    tests: {
      file: overHttp('dropship-list'),
      name: 'repeats and skips no row of a page by number with as_of',
    },
  },
  {
    name: 'hint-dropped-in-doubt',
    guard: 'A change of a document is kept while the outcome of its submit is unknown.',
    file: source('orders/kind'),
    original: "if (row.in_doubt !== 0) return 'busy'",
    replacement: "if (row.in_doubt !== 0) return 'applied'",
    tests: { file: overHttp('hints-during-submit'), name: 'is shipped at the gateway too' },
  },
  {
    name: 'token-of-deleted-secret',
    guard: 'A token whose secret was deleted while it was issued is refused.',
    file: source('identity/sessions'),
    original: 'if (found.secret_revoked_at !== null)',
    replacement: 'if (false)',
    tests: { file: overHttp('access-revoke'), name: 'was deleted while the token was issued' },
  },
  {
    name: 'quote-without-preferences',
    guard: 'A repeated place_order sends the same body.',
    file: source('mcp/actions/quote-order'),
    original: '...(shipping === null ? {} : { shipping })',
    replacement: '...(shipping !== null ? {} : {})',
    tests: { file: overHttp('mcp-orders'), name: 'is finished by the same call again, once' },
  },
  {
    name: 'index-blocks-writes',
    guard: 'An index of a migration is built while others write to its table.',
    file: source('store/indexes'),
    original: 'create index concurrently if not exists',
    replacement: 'create index if not exists',
    tests: {
      file: overHttp('upgrade'),
      name: 'is built while others write, and waits for their transactions',
      needsPostgres: true,
    },
  },
  {
    name: 'invalid-index-kept',
    guard: 'An index whose build ended halfway is built again.',
    file: source('store/indexes'),
    original: 'if (rows.length > 0) await',
    replacement: 'if (rows.length > 1) await',
    tests: {
      file: overHttp('upgrade'),
      name: 'is built again by the next start where its process ended halfway',
      needsPostgres: true,
    },
  },
]

/** What a channel's copy of the stock promises. */
const mirrors: readonly NamedMutant[] = [
  {
    name: 'damaged-mirror-followed',
    guard: 'A live copy that differs from the gateway is pulled again.',
    file: mirror('sync'),
    original: 'return isRight ? outcome : { fullSyncReason: wrongCopy }',
    replacement: 'return isRight ? outcome : { proof: outcome.proof }',
    tests: { file: ofMirror('mirror'), name: 'finds a copy that was damaged before its start' },
  },
  {
    name: 'mirror-restarts-unproven',
    guard: 'A mirror that is started again compares its copy again.',
    file: mirror('stock-mirror'),
    original: 'follower.isProven = false',
    replacement: '',
    tests: { file: ofMirror('mirror'), name: 'finds a copy that was damaged before its start' },
  },
  {
    name: 'mirror-rows-uncounted',
    guard: 'A mirror that follows finds lost rows in its next turn.',
    file: mirror('sync'),
    original: '(await store.count(warehouse)) === proof.rowCount',
    replacement: '(await store.count(warehouse)) >= 0',
    tests: { file: ofMirror('mirror'), name: 'finds in each turn that rows are lost' },
  },
  {
    name: 'moved-mirror-is-damaged',
    guard: 'A copy that another process moves on is not compared with an older state.',
    file: mirror('sync'),
    original: 'if (isRight === undefined) return {}',
    replacement: 'if (isRight === undefined && turn.newest < 0) return {}',
    tests: { file: ofMirror('mirror'), name: 'does not take a copy that another process moves on' },
  },
]

export const namedMutants: readonly NamedMutant[] = [
  ...writes,
  ...keys,
  ...stock,
  ...events,
  ...access,
  ...secrecy,
  ...agents,
  ...platform,
  ...mirrors,
]
