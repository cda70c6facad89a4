/** The lock of a document. */
export function lockOfDocument(id: string): string {
  return `document ${id}`
}

/** The lock of a drop-ship order's natural key: its document may not exist yet. */
export function lockOfNumber(channel: string, clientOrderNumber: string, sku: string): string {
  return `dropship ${JSON.stringify([channel, clientOrderNumber, sku])}`
}
