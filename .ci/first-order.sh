#!/usr/bin/env bash
# Places a first order with curl, as a newcomer does: token, stock, preview, submit. Reads the account from a sandbox.json
# or from the environment (OMS_USERNAME, OMS_PASSWORD). Usage: .ci/first-order.sh BASE_URL [sandbox.json]
set -eu
base=$1
field() { grep -o "\"$1\": *\"[^\"]*" | head -n 1 | cut -d '"' -f 4; }
if [ -n "${2:-}" ]; then
  OMS_USERNAME=$(field username <"$2")
  OMS_PASSWORD=$(field password <"$2")
fi
json='Content-Type: application/json'
order='{"sku": "SBX-SHORT-3", "quantity": 1, "client_order_number": "WEB-'$$'",
  "recipient": {"name": "Alex Lee", "phone": "+61 2 5550 1234", "address": "1 Example Street",
    "city": "Sydney", "state": "NSW", "postal_code": "2000", "country_code": "AU"}}'
token=$(curl -s "$base/api/v1/auth/token" -d grant_type=password --data-urlencode "username=$OMS_USERNAME" \
  --data-urlencode "password=$OMS_PASSWORD" | field access_token)
[ -n "$token" ] || { echo 'no token'; exit 1; }
auth="Authorization: Bearer $token"
curl -s "$base/api/v1/warehouses/AUSYD1/stock?sku=SBX-SHORT-3" -H "$auth" | grep -q '"quantity_available":[1-9]' ||
  { echo 'no stock'; exit 1; }
preview=$(curl -s "$base/api/v1/dropship-orders/allocation-preview" -H "$auth" -H "$json" -d "$order")
printf %s "$preview" | grep -q '"fulfillable":true' || { echo "no preview: $preview"; exit 1; }
submit=$(curl -s "$base/api/v1/dropship-orders/submit" -H "$auth" -H "$json" -H "Idempotency-Key: first-order-$$" -d "$order")
printf %s "$submit" | grep -q '"status_raw":"ALLOCATED"' || { echo "no order: $submit"; exit 1; }
echo "a first order is placed: $(printf %s "$submit" | field serial_number)"
