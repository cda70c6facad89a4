/**
 * The sandbox ERP as a child process. It receives its settings in one IPC message, so that no secret is on a command
 * line, and exits when its parent exits or crashes.
 */
import { type ServeSettings, serve } from './serve.ts'

export interface StartMessage {
  readonly start: ServeSettings
}

export type ChildMessage =
  | { readonly ready: { url: string; left_out: readonly { line: number; sku: string; reason: string }[] } }
  | { readonly failed: { message: string } }

function sendToParent(message: ChildMessage) {
  process.send?.(message)
}

process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
/** Ctrl+C in a terminal reaches the whole process group. The parent decides when this process exits. */
process.on('SIGINT', () => {})

process.once('message', (message: StartMessage) => {
  serve(message.start).then(
    ({ url, left_out }) => sendToParent({ ready: { url, left_out: left_out.slice(0, 1000) } }),
    (error: unknown) => {
      sendToParent({ failed: { message: error instanceof Error ? error.message : String(error) } })
      process.exitCode = 1
      process.disconnect()
    },
  )
})
