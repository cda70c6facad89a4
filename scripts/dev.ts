import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * `npm run dev`: the gateway with its sandbox ERP, restarted by `node --watch` after every edit.
 *
 * It watches folders instead of imported modules, because the gateway imports neither the sandbox ERP, which is a
 * separate process, nor the guides, which it reads from disk.
 */

const root = join(import.meta.dirname, '..')
const dataDir = 'data-dev'
const watchedFolders = [
  'packages/gateway/src',
  'packages/gateway/migrations',
  'packages/connector/src',
  'packages/sandbox-erp/src',
  'docs',
]

/** The number of styles. The 20,000 SKUs of the default catalogue would take more than a second of each restart. */
const styles = '100'

/**
 * An import that deletes a variable of the environment. With this variable, `node --watch` asks its process to report
 * every import over IPC. The sandbox ERP would inherit the variable and report its imports to the gateway, which
 * expects other messages on that channel.
 */
const withoutImportReports = 'data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES'

const usage = `Usage: npm run dev -- [options]

Starts the gateway with a seeded sandbox ERP: ${styles} styles in three warehouses, 89 days of orders and bills, an
account and a channel. The gateway and the ERP restart within about two seconds of an edit in these folders:

${watchedFolders.map((folder) => `  ${folder}\n`).join('')}
Accounts, orders and settings are kept in ${dataDir}/ from one restart to the next. Ctrl-C ends both processes.

  --fresh   deletes ${dataDir}/ first, so that the sandbox is seeded again
  --help    prints this text

Settings come from the environment and from .env, as for npm start. Example: PORT=9000 npm run dev
`

function startWatching(): void {
  const args = [
    '--watch',
    '--watch-preserve-output',
    // On SIGTERM the gateway would wait until it has received no request for two seconds.
    '--watch-kill-signal=SIGINT',
    ...watchedFolders.map((folder) => `--watch-path=${join(root, folder)}`),
    `--import=${withoutImportReports}`,
    join(root, 'packages/gateway/src/main.ts'),
  ]
  const defaults = { SANDBOX_STYLES: styles, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') }
  const watcher = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...defaults, ...process.env, DATA_DIR: dataDir },
  })
  // The terminal sends Ctrl-C to the whole process group, but SIGTERM reaches this process only.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => watcher.kill('SIGTERM'))
  watcher.on('exit', (code) => process.exit(code ?? 0))
}

const { values } = parseArgs({
  options: { fresh: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  process.stdout.write(usage)
} else {
  if (values.fresh) rmSync(join(root, dataDir), { recursive: true, force: true })
  // Standard output carries the gateway's log.
  process.stderr.write(
    `Restarts after edits in ${watchedFolders.join(', ')}. Data is in ${dataDir}/. Help: npm run dev -- --help\n`,
  )
  startWatching()
}
