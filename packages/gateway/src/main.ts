/**
 * The gateway's program. Node keeps the compiled code of its modules beside the installed packages, which halves the
 * time and the memory that a later start takes for them. It is enabled before any other module is loaded. Where the
 * folder cannot be written, Node goes on without it, or with what is there already.
 */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { isatty } from 'node:tty'

// Without a terminal, SIGHUP never ends the gateway, and not during the second either in which it loads its modules.
if (!isatty(0)) process.on('SIGHUP', () => {})

// Whoever can write beside the packages can change the packages as well, so the code there is as safe as they are.
const directory = join(import.meta.dirname, '../node_modules/.cache/compiled')
enableCompileCache({ directory, portable: true })
const { runProgram } = await import('./program.ts')
// At once, and not at the end: a process that is killed has none.
flushCompileCache()
await runProgram()
