#!/usr/bin/env bash
# Checks that the gateway serves a catalogue created from real order lines: a full pull equals the file row by row.
# Usage: .ci/catalogue.sh orders.csv[.gz]
set -eu
orders=$1
work=$(mktemp -d)
export DATA_DIR="$work/data" PORT=19081 LOG_LEVEL=warn SANDBOX_ACTIVITY=0
pid=

finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

npm run -s catalogue -- "$orders" --out "$work/goods.csv"
npm start -- --catalogue "$work/goods.csv" >"$work/log" 2>"$work/out" &
pid=$!
for _ in $(seq 240); do
  grep -q '^TOKEN=' "$work/out" && break
  kill -0 "$pid" 2>/dev/null || { cat "$work/log" "$work/out"; exit 1; }
  sleep 0.25
done
line=$(grep '^TOKEN=' "$work/out")
TOKEN=
eval "$line"
curl -s --compressed "http://127.0.0.1:$PORT/api/v1/warehouses/AUSYD1/stock" -H "Authorization: Bearer $TOKEN" >"$work/pull.json"
DATA_DIR= node_modules/.bin/node --input-type=module - "$work/goods.csv" "$work/pull.json" <<'JS'
import { readFileSync } from 'node:fs'
const [, , csv, pull] = process.argv
const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, '').replaceAll('""', '"'))
const [head, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n').map((line) => cells(line))
const at = (name) => head.indexOf(name)
const expected = new Map(lines.map((row) => [row[at('sku')], row]))
const { data, has_more } = JSON.parse(readFileSync(pull, 'utf8'))
const wrong = data.filter((row) => {
  const line = expected.get(row.sku)
  return !line || Number(line[at('quantity')]) !== row.quantity_available || Number(line[at('price_wholesale')]) !== row.price_wholesale ||
    Number(line[at('price_retail')]) !== row.price_retail || line[at('warehouse_code')] !== row.warehouse_code
})
const missing = [...expected.keys()].filter((sku) => !data.some((row) => row.sku === sku))
process.stdout.write(`${data.length} SKUs served, ${expected.size} in the file, ${wrong.length} differ, ${missing.length} missing\n`)
process.exit(data.length === expected.size && wrong.length === 0 && missing.length === 0 && !has_more ? 0 : 1)
JS
