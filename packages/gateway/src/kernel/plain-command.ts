/** The exit code of wrong usage: EX_USAGE of sysexits.h. */
const wrongUsageCode = 64

/**
 * Runs a command that takes no arguments and sets the exit code of this process. `--help` prints the usage. With any
 * other argument the command does not run: the usage goes to stderr, and the exit code is 64.
 */
export async function runPlainCommand(usage: string, run: () => number | Promise<number>): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === undefined) {
    process.exitCode = await run()
    return
  }
  const isHelp = argument === '--help'
  const output = isHelp ? process.stdout : process.stderr
  output.write(usage)
  process.exitCode = isHelp ? 0 : wrongUsageCode
}
