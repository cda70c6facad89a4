import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PreparationError } from './tools.ts'

const execute = promisify(execFile)
const installTimeoutMs = 300_000
const workspaceScope = '@trade-gateway'

/** The sources of one commit, with their dependencies installed. */
export interface Tree {
  readonly name: string
  readonly folder: string
  /** The file that `npm start` runs. The bench starts no other file of a tree. */
  readonly main: string
  /** The environment variables that make its gateway another one while it is measured. */
  readonly settings?: Readonly<Record<string, string>>
}

const here = fileURLToPath(new URL('..', import.meta.url))

/** The working tree that contains this bench. */
export const thisTree: Tree = { name: 'this tree', folder: here, main: getMainFile(here) }

/** This tree without what it measures about itself. Without any token for them, the metrics are off. */
export const unmeasuredTree: Tree = {
  ...thisTree,
  name: 'nothing measured',
  settings: { ADMIN_TOKEN: '', LOG_REQUESTS: 'none' },
}

/** Unpacks another commit under `parent`. Throws `PreparationError` if git or npm cannot provide it. */
export async function unpackTree(rev: string, parent: string): Promise<Tree> {
  const commit = await runGit('rev-parse', '--verify', '--quiet', `${rev}^{commit}`).catch(() => {
    throw new PreparationError(`--against ${rev}: this repository has no such commit.`)
  })
  const folder = join(parent, `tree-${commit.slice(0, 12)}`)
  mkdirSync(folder)
  // Unlike a git worktree, an archive leaves nothing in the repository if the run is killed.
  const archive = `${folder}.tar`
  await runGit('archive', '--format=tar', `--output=${archive}`, commit)
  await execute('tar', ['-xf', archive, '-C', folder])
  const main = getMainFile(folder)
  if (!existsSync(main))
    throw new PreparationError(`--against ${rev}: commit ${commit.slice(0, 7)} has no ${getMainFile('')}.`)
  if (readLockFile(folder) === readLockFile(here)) linkPackages(folder)
  else await installPackages(folder)
  return { name: commit.slice(0, 7), folder, main }
}

function getMainFile(folder: string): string {
  return join(folder, 'packages/gateway/src/main.ts')
}

function readLockFile(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8')
}

/** Links the installed dependencies of this tree and the workspace packages of the other commit into `node_modules`. */
function linkPackages(folder: string) {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, workspaceScope), { recursive: true })
  for (const name of readdirSync(join(here, 'node_modules'))) {
    if (name !== workspaceScope) symlinkSync(join(here, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(modules, workspaceScope, name))
  }
}

async function installPackages(folder: string): Promise<void> {
  const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await execute('npm', args, { cwd: folder, timeout: installTimeoutMs }).catch((cause: unknown) => {
    throw new PreparationError('npm ci failed for the other commit, whose packages differ from those here.', {
      cause,
    })
  })
}

async function runGit(...args: string[]): Promise<string> {
  const { stdout } = await execute('git', ['-C', here, ...args])
  return stdout.trim()
}
