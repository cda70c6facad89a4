/** Between instants of the API (RFC 3339, UTC) and inputs of a browser, which are in the reader's zone. */

/** Formats an instant for an input of type `datetime-local`; empty if there is none or it is not valid. */
export function toLocalInput(instant: string | undefined): string {
  const at = instant === undefined ? Number.NaN : Date.parse(instant)
  if (Number.isNaN(at)) return ''
  const zoneMs = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - zoneMs).toISOString().slice(0, 16)
}

/** Parses the value of such an input; undefined if it is empty or not valid. */
export function toInstant(local: string): string | undefined {
  const at = local === '' ? Number.NaN : Date.parse(local)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/**
 * Reads such an input after an instant was shown in it. The input shows minutes, so an instant that was not edited
 * keeps its seconds.
 */
export function readEdited(local: string, shown: string | undefined): string | undefined {
  return local === toLocalInput(shown) ? shown : toInstant(local)
}
