/** Where the transport gets its tokens. */
export interface TokenSource {
  /** Returns a token that is still valid for a while. Throws `GatewayError` if none can be had. */
  provide(signal?: AbortSignal): Promise<string>
  /** Forgets a token that the gateway refused. Returns whether a new one can be had. */
  renew(refused: string): boolean
}
