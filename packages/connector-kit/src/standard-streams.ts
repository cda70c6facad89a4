/**
 * The end of a command whose output goes nowhere. Node ignores SIGPIPE, which ends other programs when their reader has
 * gone, such as `head`: it reports an error of the stream instead, which ends the process with a stack if nobody listens.
 */
import { constants } from 'node:os'

/** The exit code that a shell shows for a program that SIGPIPE ends. */
const closedPipeCode = 128 + constants.signals.SIGPIPE
const failedCode = 1

/**
 * Ends this process when its standard output or standard error cannot be written: quietly if the reader has gone, and
 * otherwise with a sentence. A command that cleans up after SIGTERM does so first. Returns a function that returns
 * whether the process is ending for this reason.
 */
export function endWithoutOutput(): () => boolean {
  let isEnding = false
  const end = (name: string, error: NodeJS.ErrnoException) => {
    if (isEnding) return
    isEnding = true
    const isClosed = error.code === 'EPIPE'
    if (!isClosed) process.stderr.write(`${name} cannot be written: ${error.message}.\n`)
    const code = isClosed ? closedPipeCode : failedCode
    // The command may still set its own code while it cleans up.
    process.once('exit', () => {
      process.exitCode = code
    })
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(code)
  }
  process.stdout.on('error', (error) => end('Standard output', error))
  process.stderr.on('error', (error) => end('Standard error', error))
  return () => isEnding
}
