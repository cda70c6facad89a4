import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Runs a script of the repository as a developer does. */
function run(script: string, ...args: string[]) {
  const options = { cwd: root, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', script, '--', ...args], options)
  return { status, stdout, stderr }
}

describe.each(['console-types', 'sdk-types'])('npm run %s', (script) => {
  it('finds that the generated files are those of the contract', () => {
    expect(run(script, '--check')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('prints its help', () => {
    const { status, stdout } = run(script, '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(`Usage: npm run ${script} -- [--check]`)
  })

  it('refuses an argument that it does not know', () => {
    const { status, stderr } = run(script, '--chekc')
    expect(status).toBe(64)
    expect(stderr).toContain('There is no option --chekc.')
  })
})
