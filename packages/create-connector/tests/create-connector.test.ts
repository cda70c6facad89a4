import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packFolder, packPackage } from '../../../scripts/pack-package.ts'
import { erpClient } from '../../connector/src/client.ts'
import { StartedProcess } from '../../trials/src/child-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const conformanceCommand = join(root, 'packages/connector/src/conformance-command.ts')
const token = 'the-token-of-the-test'
const slowMs = 120_000
const startTimeoutMs = 20_000
/** How soon a connector ends once its last call has ended. A kept connection would hold it for 45 seconds or longer. */
const maxEndMs = 5_000
const python = 'python3'
const quietNpm = { npm_config_loglevel: 'error', npm_config_update_notifier: 'false' }

interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Command {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

const execute = promisify(execFile)
let directory = ''
let tarballs: Readonly<Record<'connector' | 'create' | 'zod' | 'undici', string>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'create-connector-test-'))
  const packs = join(directory, 'packs')
  tarballs = {
    connector: await packPackage('connector', packs),
    create: await packPackage('create-connector', packs),
    zod: await packFolder(join(root, 'node_modules/zod'), packs),
    undici: await packFolder(join(root, 'node_modules/undici'), packs),
  }
}, slowMs)
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

/** Runs a command to its end. A failure is a result, too. */
async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env }: Command = {},
): Promise<Result> {
  const options = { cwd: cwd ?? directory, env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } }
  const { promise, resolve } = Promise.withResolvers<Result>()
  const child = execFile(command, args, options, (_, out, err) =>
    resolve({ code: child.exitCode ?? -1, out, err }),
  )
  return promise
}

const create = (...args: string[]) => runCommand(process.execPath, [program, ...args])

/**
 * Installs the packed connector as it would be published, without network and without anything from a cache. Its two
 * dependencies come from this checkout. The tools for developers are left out: nothing that runs needs them.
 */
async function installConnector(project: string): Promise<void> {
  const env = { ...process.env, ...quietNpm, npm_config_cache: join(directory, 'empty-cache') }
  const options = { cwd: project, env }
  await execute('npm', ['pkg', 'delete', 'devDependencies'], options)
  await execute(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-save', '--no-audit', tarballs.zod, tarballs.undici],
    options,
  )
}

const templates = {
  typescript: {
    args: () => ['--connector', tarballs.connector],
    prepare: installConnector,
    test: ['npm', 'test'],
    start: [process.execPath, 'src/main.ts'],
    pages: 'src/pages.ts',
    sorted: /rows\.toSorted\([^\n]+\)/,
    unsorted: 'rows',
    shipping: 'src/shipping.ts',
    quick: /async \(\) => (ok.+),/,
    slow: 'async () => new Promise((resolve) => setTimeout(() => resolve($1), 1_000)),',
  },
  python: {
    args: () => ['--template', 'python'],
    prepare: async () => {},
    test: [python, '-m', 'unittest'],
    start: [python, '-m', 'connector'],
    pages: 'connector/pages.py',
    sorted: /sorted\(rows[^\n]+\)/,
    unsorted: 'rows',
    shipping: 'connector/shipping.py',
    quick: /def shipping_methods\(_\):\n/,
    slow: "$&    __import__('time').sleep(1)\n",
  },
} as const

type Name = keyof typeof templates
const projects = new Map<Name, string>()

/** Writes the project of a template and prepares it to run, once. */
async function prepareProject(name: Name): Promise<string> {
  const known = projects.get(name)
  if (known !== undefined) return known
  const project = join(directory, name)
  const { code, err } = await create(project, ...templates[name].args())
  expect({ code, err }).toEqual({ code: 0, err: '' })
  await templates[name].prepare(project)
  projects.set(name, project)
  return project
}

/** Starts the connector of a project on a free port, works with it and stops it. */
async function withConnector<T>(
  name: Name,
  project: string,
  work: (url: string, connector: StartedProcess) => Promise<T>,
): Promise<T> {
  const [command, ...args] = templates[name].start
  const env = { PATH: process.env.PATH ?? '', UPSTREAM_TOKEN: token, PORT: '0', PYTHONDONTWRITEBYTECODE: '1' }
  const connector = new StartedProcess({ name: 'The connector', command, args, cwd: project, env })
  try {
    await connector.waitForText('"}\n', 'stdout', { timeoutMs: startTimeoutMs })
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(connector.readFirstOutput('stdout'))?.[0] ?? 'no url'
    return await work(url, connector)
  } finally {
    await connector.stop()
  }
}

/** Runs the conformance command on the connector of a project. */
function checkConformance(name: Name, project: string): Promise<Result> {
  return withConnector(name, project, (url) =>
    runCommand(process.execPath, [conformanceCommand, url], { env: { UPSTREAM_TOKEN: token } }),
  )
}

/** Changes a file of a project while something works with it. */
async function withChange<T>(
  file: string,
  { from, to }: { readonly from: RegExp; readonly to: string },
  work: () => Promise<T>,
): Promise<T> {
  const right = await readFile(file, 'utf8')
  const changed = right.replace(from, to)
  expect(changed).not.toBe(right)
  await writeFile(file, changed)
  try {
    return await work()
  } finally {
    await writeFile(file, right)
  }
}

const isPythonThere =
  spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0
if (!isPythonThere)
  process.stdout.write(`Skipped: the template in Python, because ${python} 3.11 is not installed.\n`)

describe.each(['typescript', 'python'] as const)('the template %s', { timeout: slowMs }, (name) => {
  const itRuns = it.skipIf(name === 'python' && !isPythonThere)

  itRuns('passes its own tests', async () => {
    const project = await prepareProject(name)
    const [command, ...args] = templates[name].test
    const result = await runCommand(command, args, { cwd: project, env: quietNpm })
    expect(result.code, result.out + result.err).toBe(0)
  })

  itRuns('passes the conformance command for what it implements', async () => {
    const { code, out } = await checkConformance(name, await prepareProject(name))
    expect(out.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([])
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^(?:[5-9]\d|\d{3}) passed, 0 failed, \d+ skipped$/)
    expect(code).toBe(0)
  })

  itRuns('fails the conformance command when its snapshot is not ordered', async () => {
    const project = await prepareProject(name)
    const { pages, sorted, unsorted } = templates[name]
    await withChange(join(project, pages), { from: sorted, to: unsorted }, async () => {
      const { code, out } = await checkConformance(name, project)
      expect(out).toMatch(/^FAILED +stock\.snapshot\.ascending: .+"TEE-M" after "TEE-S"/m)
      expect(code).toBe(1)
    })
  })

  itRuns('ends a running call after SIGTERM, and then itself, though a gateway polls it', async () => {
    const project = await prepareProject(name)
    const { shipping, quick, slow } = templates[name]
    await withChange(join(project, shipping), { from: quick, to: slow }, () =>
      withConnector(name, project, async (url, connector) => {
        const client = erpClient(url, token)
        const running = client.erp.shipping_methods({})
        for (let polls = 0; polls < 3; polls++) await client.erp.describe({})
        const stopped = connector.stop()
        const polling = (async () => {
          for (; connector.status === undefined; await pause(10))
            await client.erp.describe({}).catch(() => undefined)
        })()
        expect(await running).toEqual({ ok: { shipping_methods: [] } })
        const ended = performance.now()
        await Promise.all([stopped, polling])
        expect(performance.now() - ended).toBeLessThan(maxEndMs)
        expect(connector.status).toBe(0)
        await client.close()
      }),
    )
  })

  itRuns('does not start without a token, and says so', async () => {
    const project = await prepareProject(name)
    const [command, ...args] = templates[name].start
    const result = await runCommand(command, args, { cwd: project, env: { UPSTREAM_TOKEN: '' } })
    expect(result).toMatchObject({ code: 78, out: '', err: expect.stringContaining('Set UPSTREAM_TOKEN') })
  })

  it('has no file of npm or of Python that is not meant for a reader', async () => {
    const project = join(directory, `listed-${name}`)
    await create(project, ...templates[name].args())
    const files = await readdir(project, { recursive: true })
    expect(files.filter((file) => /__pycache__|node_modules|_gitignore|_npmrc/.test(file))).toEqual([])
    for (const file of ['.gitignore', '.dockerignore', 'Dockerfile', 'README.md'])
      expect(files).toContain(file)
    const text = await Promise.all(
      files
        .filter((file) => /\.(?:json|md|ts|py)$/.test(file))
        .map((file) => readFile(join(project, file), 'utf8')),
    )
    expect(text.join('\n')).not.toContain('{{')
  })
})

describe('the template in TypeScript', () => {
  it('cannot be installed with an older Node', async () => {
    const project = join(directory, 'strict')
    await create(project)
    expect(await readFile(join(project, '.npmrc'), 'utf8')).toMatch(/^engine-strict=true$/m)
  })

  it('fits the types of the packed connector', { timeout: slowMs }, async () => {
    const project = await prepareProject('typescript')
    const tsc = join(root, 'node_modules/.bin/tsc')
    const args = [tsc, '-p', project, '--typeRoots', join(root, 'node_modules/@types')]
    expect(await runCommand(process.execPath, args)).toEqual({ code: 0, out: '', err: '' })
    const file = join(project, 'src/shipping.ts')
    const right = await readFile(file, 'utf8')
    await writeFile(file, right.replace('shipping_methods: []', 'shipping_methods: [7]'))
    const wrong = await runCommand(process.execPath, args)
    await writeFile(file, right)
    expect(wrong.out).toContain('src/shipping.ts')
    expect(wrong.code).not.toBe(0)
  })

  it('has the conformance command of the packed connector', { timeout: slowMs }, async () => {
    const project = await prepareProject('typescript')
    const help = await runCommand('npm', ['run', '-s', 'conformance', '--', '--help'], {
      cwd: project,
      env: quietNpm,
    })
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes:') })
  })

  it('names the version of this package if no tarball is given', async () => {
    const project = join(directory, 'published')
    await create(project)
    const own = JSON.parse(await readFile(join(root, 'packages/create-connector/package.json'), 'utf8'))
    const written = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))
    expect(written.dependencies).toEqual({ '@trade-gateway/connector': own.version })
  })
})

describe('npm create trade-gateway-connector', () => {
  it('works from the packed package, with both templates', { timeout: slowMs }, async () => {
    const home = join(directory, 'home')
    await mkdir(home)
    await execute('npm', ['install', '--offline', '--no-audit', '--prefix', home, tarballs.create], {
      env: { ...process.env, ...quietNpm, npm_config_cache: join(directory, 'empty-cache') },
    })
    const command = join(home, 'node_modules/.bin/create-trade-gateway-connector')
    for (const template of ['typescript', 'python']) {
      const project = join(home, template)
      const { code, err, out } = await runCommand(command, [project, '--template', template])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain(`cd ${project}`)
      expect(await readdir(project)).toEqual(expect.arrayContaining(['.gitignore', 'README.md']))
    }
    expect(await readdir(join(home, 'python/connector'))).toContain('connector-openapi.json')
  })

  it('has no dependencies', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'packages/create-connector/package.json'), 'utf8'))
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  })

  it('prints help', async () => {
    expect(await create('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Usage:'), err: '' })
  })

  it('refuses a directory that is not empty, and leaves it as it is', async () => {
    const project = join(directory, 'used')
    await mkdir(project)
    await writeFile(join(project, 'notes.txt'), 'mine')
    const { code, err, out } = await create(project)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(`${project} is not empty: it has notes.txt. Name a new or an empty directory.\n`)
    expect(await readdir(project)).toEqual(['notes.txt'])
  })

  it('says why a directory cannot be written', async () => {
    const file = join(directory, 'a-file')
    await writeFile(file, '')
    const { code, err } = await create(join(file, 'project'))
    expect(code).toBe(1)
    expect(err).toContain('cannot be written: ENOTDIR')
  })

  it.each([
    [[], 'Give exactly one directory.'],
    [['one', 'two'], 'Give exactly one directory.'],
    [['one', '--template', 'cobol'], 'There is no template "cobol". Templates: typescript, python.'],
    [['one', '--force'], '--force'],
  ])('refuses %j with exit code 64', async (args, sentence) => {
    const { code, err, out } = await create(...args)
    expect(err).toContain(sentence)
    expect({ code, out }).toEqual({ code: 64, out: '' })
  })
})
