import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getPageFilePath, listPages } from '../src/samples/list-pages.ts'
import { readSamples } from '../src/samples/page.ts'
import { findFileName } from '../src/samples/session.ts'

const root = fileURLToPath(import.meta.resolve('../../..'))
const maxMs = 60_000
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'samples-types-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Whether every package that a sample imports is installed. A guide may show one that is not a dependency yet. */
function areImportsInstalled(text: string): boolean {
  const names = [...text.matchAll(/from '([^'./][^']*)'/g)].map(([, name = '']) => name)
  return names.every(
    (name) =>
      name.startsWith('node:') || existsSync(join(root, 'node_modules', ...name.split('/').slice(0, 2))),
  )
}

describe('the programs of the guides', () => {
  it(
    'fit the strictest types, so that they can be copied into any project',
    async () => {
      await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
      await writeFile(join(directory, 'package.json'), '{"type":"module"}')
      let written = 0
      for (const page of await listPages()) {
        const programs = readSamples(await readFile(getPageFilePath(page), 'utf8')).filter(
          ({ fence }) => fence.language === 'ts',
        )
        for (const { fence } of programs.filter(({ fence: { text } }) => areImportsInstalled(text))) {
          written += 1
          // A program of a page imports earlier ones by their names.
          const folder = join(directory, 'samples', page.replaceAll('/', '-'))
          await mkdir(folder, { recursive: true })
          const name = findFileName(fence.text) ?? `line-${fence.firstLine + 1}.ts`
          await writeFile(join(folder, name), `${fence.text}\nexport {}\n`)
        }
      }
      expect(written).toBeGreaterThanOrEqual(5)
      const options = {
        extends: join(root, 'tsconfig.json'),
        include: ['samples/*/*.ts'],
        compilerOptions: {
          typeRoots: [join(root, 'node_modules/@types')],
          // Not the file of `npm run types`, which would then check everything anew.
          incremental: false,
          tsBuildInfoFile: null,
        },
      }
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(options))
      const tsc = join(root, 'node_modules/.bin/tsc')
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', directory], {
        cwd: directory,
        encoding: 'utf8',
      })
      expect(stdout).toBe('')
      expect(status).toBe(0)
    },
    maxMs,
  )
})
