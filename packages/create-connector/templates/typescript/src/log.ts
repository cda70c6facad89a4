/** Writes one line of JSON to standard output. Use it for rows that you leave out, with the reason. */
export function log(event: string, details: object) {
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)
}
