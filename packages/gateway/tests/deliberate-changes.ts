/**
 * The differences in meaning between the contract and its release 1.4.0 that were decided by a person, with the reason.
 * `only-grows.test.ts` compares these lists with the contract, in both directions.
 *
 * A new text or limit goes here only if every client of the release is still right: the text says the same or more
 * exactly, and no request that made sense is refused now. Anything else is a change of meaning and belongs to 2.0.
 */

import type { Wording } from './meaning.ts'

interface Decision<Change> {
  readonly because: string
  readonly changes: readonly Change[]
}

/** Texts: the released one, or the name of a place that the release does not describe, and the present one. */
export const wordings: readonly Decision<Wording>[] = [
  {
    because: 'The release names the place and has no description of it: this is the first one.',
    changes: [
      { was: 'request .client_id', is: 'Name of the channel’s credentials' },
      { was: 'request .client_secret', is: 'Secret of the channel, shown once when it was issued' },
      {
        was: 'request .grant_type',
        is: 'Which grant: `client_credentials` for a channel, `password` for an OMS account; derived from the other fields when left out',
      },
      { was: 'request .username', is: 'Name of the OMS website account' },
      { was: 'request .password', is: 'Password of the OMS website account' },
      { was: 'answer .data', is: 'What was asked for: an object, or the rows of a page' },
      { was: 'answer .error', is: 'Why the request failed, and what to do' },
      { was: 'answer .code', is: 'Stable error code; programs decide by this code' },
      { was: 'answer .message', is: 'What happened, in the reader’s language' },
      { was: 'answer .hint', is: 'What to do next' },
      { was: 'answer .request_id', is: 'Id of the request; quote it to support' },
      { was: 'parameter path warehouse_code', is: 'Warehouse, from `GET /api/v1/warehouses`' },
      { was: 'parameter query product_code', is: 'Style code, compared byte by byte' },
      { was: 'parameter query sku', is: 'SKU, compared byte by byte, case included' },
      { was: 'parameter query page', is: 'Number of the page, from 1' },
      { was: 'parameter query page_size', is: 'Rows that a page has at most' },
      { was: 'answer .quantity_on_hand', is: 'Pieces in the warehouse, held ones included' },
      { was: 'answer .quantity_available', is: 'Pieces that can be ordered now' },
      { was: 'answer .price_wholesale', is: 'Wholesale price of one piece' },
      { was: 'answer .price_retail', is: 'Recommended retail price of one piece' },
      { was: 'answer .has_more', is: 'Whether another page follows' },
      { was: 'answer .version', is: 'Send it as `since` the next time' },
      {
        was: 'answer .since',
        is: 'Cursor: the `version` of the previous response; leave it out or send 0 to start from the beginning',
      },
      {
        was: 'answer .latest',
        is: 'The newest version of the process that responds. A copy is complete at the end of the feed, if its `version` is at least each `latest` before',
      },
      { was: 'answer .needs_full_sync', is: 'Whether a full pull is required' },
      { was: 'answer .shipping_method_id', is: 'Shipping method, from `GET /api/v1/shipping-methods`' },
      {
        was: 'answer .address_id',
        is: 'Delivery address, from `GET /api/v1/addresses`; required for a delivery',
      },
      {
        was: 'parameter path order_id',
        is: 'Id of the wholesale order; a draft keeps it when it is submitted',
      },
      {
        was: 'parameter header idempotency-key',
        is: 'One key per business operation, the same for its retries; 1 to 255 visible ASCII characters',
      },
      { was: 'request .lines', is: 'SKUs with their quantities; a SKU may be on one line only' },
      { was: 'request .sku', is: 'SKU, compared byte by byte, case included' },
      { was: 'request .quantity', is: 'Number of pieces' },
      { was: 'request .shipping', is: 'Shipping of a wholesale order' },
      { was: 'answer .order_id', is: 'Id of the wholesale order; a draft keeps it when it is submitted' },
      { was: 'answer .lines', is: 'SKUs with their quantities; a SKU may be on one line only' },
      { was: 'answer .sku', is: 'SKU, compared byte by byte, case included' },
      { was: 'answer .quantity', is: 'Number of pieces' },
      { was: 'answer .status', is: '`confirmed`, or `cancelled` if it was voided meanwhile' },
      { was: 'answer .shipping', is: 'Shipping of a wholesale order' },
      { was: 'request .recipient', is: 'The end customer to whom the parcel goes' },
      { was: 'request .name', is: 'Name of the end customer, as it stands on the parcel' },
      { was: 'request .phone', is: 'Phone of the recipient, with the country’s prefix' },
      { was: 'request .address', is: 'Street and number' },
      { was: 'request .country_code', is: 'Country, ISO 3166-1 alpha-2' },
      { was: 'request .state', is: 'State or province; required in AU, US, CA, CN, JP and KR' },
      { was: 'request .city', is: 'Town or city of the delivery' },
      { was: 'request .postal_code', is: 'Postal code; required where the country has postal codes' },
      { was: 'request .shipping_method', is: '`normal` or `express`' },
      { was: 'answer .dropship_order_id', is: 'Id of the drop-ship order; its preview has the same one' },
      { was: 'answer .serial_number', is: 'The ERP’s own number of the order' },
      { was: 'answer .recipient', is: 'The end customer to whom the parcel goes' },
      { was: 'answer .name', is: 'Name of the end customer, as it stands on the parcel' },
      { was: 'answer .phone', is: 'Phone of the recipient, with the country’s prefix' },
      { was: 'answer .address', is: 'Street and number' },
      { was: 'answer .country_code', is: 'Country, ISO 3166-1 alpha-2' },
      { was: 'answer .state', is: 'State or province; required in AU, US, CA, CN, JP and KR' },
      { was: 'answer .city', is: 'Town or city of the delivery' },
      { was: 'answer .postal_code', is: 'Postal code; required where the country has postal codes' },
      { was: 'answer .shipping_method', is: '`normal` or `express`' },
      {
        was: 'answer .status',
        is: '`pending` until the goods leave; then `shipped`, `intercepted` or `cancelled`, which are final',
      },
      { was: 'answer .paid', is: 'Whether the ERP has received the whole payment' },
      {
        was: 'parameter path dropship_order_id',
        is: 'Id of the drop-ship order; its preview has the same one',
      },
      { was: 'parameter query start_date', is: 'First UTC day, inclusive; at most 366 days' },
      { was: 'parameter query end_date', is: 'Last UTC day, inclusive' },
      { was: 'parameter query status', is: 'Only documents in this state' },
      { was: 'parameter query client_order_number', is: 'Your own number for the order' },
      { was: 'parameter query serial_number', is: 'The ERP’s own number of the order' },
      { was: 'request', is: 'JSON-RPC 2.0' },
    ],
  },
  {
    because: 'The documentation of an endpoint has its description below this short summary.',
    changes: [
      { was: 'Get a token by the channel grant or the password grant', is: 'Get an access token' },
      {
        was: 'The account, channel, usable warehouses, permissions and business switches of the token',
        is: 'Read the token’s identity',
      },
      { was: 'Warehouses', is: 'List warehouses' },
      { was: 'Stock of a warehouse: all of it, by style or by SKU', is: 'Stock of a warehouse' },
      { was: 'The rows changed since a cursor', is: 'Stock changes since a version' },
      { was: 'Shipping methods', is: 'List shipping methods' },
      { was: 'Addresses', is: 'List addresses' },
      { was: 'Preview the allocation of a wholesale order', is: 'Preview a wholesale order' },
      { was: 'Void a wholesale order and release its stock', is: 'Void a wholesale order' },
      {
        was: 'Preview the allocation of a drop-ship order and hold its stock',
        is: 'Preview a drop-ship order',
      },
      { was: 'Release the stock held by a preview', is: 'Release a preview’s stock' },
      { was: 'Void a drop-ship order and release its stock', is: 'Void a drop-ship order' },
      { was: 'Drop-ship orders', is: 'List drop-ship orders' },
      { was: 'Balances', is: 'List balances' },
      { was: 'Transactions, each with the balance after it', is: 'List transactions' },
      { was: 'Bills', is: 'List bills' },
      { was: 'Refunds', is: 'List refunds' },
      { was: 'Freight bills', is: 'List freight bills' },
      { was: 'The remote MCP endpoint', is: 'Business actions for agents' },
    ],
  },
  {
    because:
      'The headers of the MCP endpoint are described at the other endpoints; its two forms of a token are in the description of the endpoint.',
    changes: [
      { was: 'Channel grant / Password grant', is: '' },
      { was: 'The version of the API', is: '' },
      { was: 'The request id to quote to support', is: '' },
    ],
  },
  {
    because: 'The text says the same in the words of the style guide, or more exactly.',
    changes: [
      { was: 'The version of the API', is: 'Version of the API' },
      { was: 'The request id to quote to support', is: 'Id of the request; quote it to support' },
      { was: '/errors/<code>', is: 'Page of the error code' },
      { was: 'The offending field, with VALIDATION_FAILED', is: 'The invalid field' },
      { was: 'SKU', is: 'SKU, compared byte by byte, case included' },
      { was: 'Style code', is: 'Style code, compared byte by byte' },
      { was: 'Currency of the prices', is: 'Code of the currency that amounts are in, from ISO 4217' },
      { was: 'Warehouse of the row', is: 'Warehouse, from `GET /api/v1/warehouses`' },
      {
        was: 'The cursor',
        is: 'Cursor: the `version` of the previous response; leave it out or send 0 to start from the beginning',
      },
      { was: 'The cursor', is: 'Version of the stock in the response' },
      {
        was: 'From GET /api/v1/shipping-methods',
        is: 'Shipping method, from `GET /api/v1/shipping-methods`',
      },
      {
        was: 'From GET /api/v1/addresses, for delivery',
        is: 'Delivery address, from `GET /api/v1/addresses`; required for a delivery',
      },
      { was: 'Raw upstream code', is: 'The ERP’s own code for the state' },
      { was: "The caller's own order number", is: 'Your own number for the order' },
    ],
  },
]

/** Limits that the release does not show. */
export const limits: readonly Decision<string>[] = [
  {
    because: 'An unknown field is refused, so that a misspelt one is not ignored.',
    changes: [
      'request .lines []: additionalProperties false',
      'request .shipping: additionalProperties false',
      'request .recipient: additionalProperties false',
    ],
  },
  {
    because: 'A value that is empty, zero or negative has no meaning here.',
    changes: [
      'parameter query product_code: minLength 1',
      'parameter query sku: minLength 1',
      'parameter query page: minimum 1',
      'parameter query page_size: minimum 1',
      'parameter query since: minimum 0',
      'parameter header idempotency-key: minLength 1',
      'request .lines: minItems 1',
      'request .sku: minLength 1',
      'request .quantity: minimum 1',
      'request .shipping_method_id: minLength 1',
      'request .address_id: minLength 1',
      'request .name: minLength 1',
      'request .phone: minLength 1',
      'request .address: minLength 1',
      'request .state: minLength 1',
      'request .city: minLength 1',
      'request .postal_code: minLength 1',
      'request .client_order_number: minLength 1',
      'parameter query client_order_number: minLength 1',
      'parameter query serial_number: minLength 1',
    ],
  },
  {
    because: 'A date has the form of ISO 8601 and a country that of ISO 3166-1, as the specification says.',
    changes: [
      'request .country_code: pattern ^[A-Z]{2}$',
      'parameter query start_date: format date',
      'parameter query end_date: format date',
    ],
  },
  {
    because:
      'Each text, list and number has a bound, which the page “Points and limits” or the reference shows.',
    changes: [
      'parameter query product_code: maxLength 64',
      'parameter query sku: maxLength 64',
      'parameter query page: maximum 1000000000',
      'parameter query page_size: maximum 1000',
      'request .lines: maxItems 500',
      'request .sku: maxLength 64',
      'request .quantity: maximum 999999',
      'request .shipping_method_id: maxLength 64',
      'request .address_id: maxLength 64',
      'request .quantity: maximum 999',
      'request .name: maxLength 100',
      'request .phone: maxLength 32',
      'request .address: maxLength 200',
      'request .state: maxLength 100',
      'request .city: maxLength 100',
      'request .postal_code: maxLength 20',
      'request .client_order_number: maxLength 64',
      'parameter query page_size: maximum 200',
      'parameter query client_order_number: maxLength 64',
      'parameter query serial_number: maxLength 64',
    ],
  },
]
