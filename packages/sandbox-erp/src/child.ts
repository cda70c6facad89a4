/**
 * The sandbox ERP as a child process: it is told what to be in one message from its parent, so that no secret
 * stands on a command line, and it ends with its parent, however that ends.
 */
import { type ServeSettings, serve } from './serve.ts'

export interface StartMessage {
  readonly start: ServeSettings
}

export type ChildMessage =
  | { readonly ready: { url: string; left_out: readonly { line: number; sku: string; reason: string }[] } }
  | { readonly failed: { message: string } }

function tell(message: ChildMessage) {
  process.send?.(message)
}

process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
/** A terminal's interrupt reaches the whole group; the parent decides when this process ends. */
process.on('SIGINT', () => {})

process.once('message', (message: StartMessage) => {
  serve(message.start).then(
    ({ url, left_out }) => tell({ ready: { url, left_out: left_out.slice(0, 1000) } }),
    (error: unknown) => {
      tell({ failed: { message: error instanceof Error ? error.message : String(error) } })
      process.exitCode = 1
      process.disconnect()
    },
  )
})
