import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../packages')
const folder = mkdtempSync(join(tmpdir(), 'created-projects-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Prints its id and works until it is ended, as each server of a created project does. */
const server = `#!${process.execPath}
process.stdout.write(\`server \${process.pid}\\n\`)
setInterval(() => {}, 1_000)
`

/** Writes what a script of a template starts: its program, or the command of a package that it depends on. */
function writeProject(creator: string): string {
  const project = join(folder, creator)
  for (const part of ['src', 'node_modules/.bin']) mkdirSync(join(project, part), { recursive: true })
  cpSync(join(packages, creator, 'templates/typescript/package.json'), join(project, 'package.json'))
  writeFileSync(join(project, 'src/main.ts'), server)
  writeFileSync(join(project, 'node_modules/.bin/trade-gateway'), server, { mode: 0o755 })
  return project
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each([
  ['create-connector', 'start'],
  ['create-channel', 'start'],
  ['create-channel', 'sandbox'],
])('ends the server of a project of %s when npm run %s gets SIGTERM', async (creator, script) => {
  const npm = spawn('npm', ['run', '-s', script], { cwd: writeProject(creator), detached: true })
  try {
    const [printed] = await once(npm.stdout, 'data')
    const pid = Number(/^server (\d+)$/m.exec(`${printed}`)?.[1])
    expect(isRunning(pid)).toBe(true)
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    await expect.poll(() => isRunning(pid)).toBe(false)
  } finally {
    // The whole group, as a server that outlives npm would stay.
    if (npm.pid !== undefined && isRunning(-npm.pid)) process.kill(-npm.pid, 'SIGKILL')
  }
})
