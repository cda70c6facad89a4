/** Runs the suite in a runtime that has a command line: the target comes as the last argument. */

import { runCases } from './run-cases.ts'

declare const process: { readonly argv: readonly string[] }

// biome-ignore lint/suspicious/noConsole: every runtime has a console, and the caller reads one line of it.
console.log(JSON.stringify(await runCases(JSON.parse(process.argv.at(-1) ?? ''))))
