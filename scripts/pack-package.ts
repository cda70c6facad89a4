import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { root } from './production-packages.ts'

/**
 * Packs a package as npm would publish it. Inside a checkout, Node runs the TypeScript of a package as it is. Below
 * `node_modules` Node refuses TypeScript, so the packed package has JavaScript with declarations instead, and its
 * `exports` and `bin` name these.
 */

const run = promisify(execFile)
const maxOutputBytes = 16 * 1024 * 1024
const source = z.string().regex(/^\.\/src\/.+\.ts$/)
const manifestShape = z.looseObject({
  name: z.string(),
  exports: z.record(z.string(), source).optional(),
  bin: z.union([source, z.record(z.string(), source)]).optional(),
})
const packedShape = z.array(z.object({ filename: z.string() })).length(1)

/** Files that a package has beside its source, with their place in the checkout. */
const extraFiles: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  'create-connector': [
    ['packages/create-connector/templates', 'templates'],
    ['contract/connector-openapi.json', 'connector-openapi.json'],
  ],
  'create-channel': [['packages/create-channel/templates', 'templates']],
}

/** Packages of ours that a package brings along, so that its tarball alone can be installed and run with `npx`. */
const bundledFolders: Readonly<Record<string, readonly string[]>> = { cli: ['sdk'] }

/**
 * Builds and packs the package of a folder below `packages` into `destination`. Returns the path of the tarball.
 * Requires no network.
 */
export async function packPackage(folder: string, destination: string): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'pack-package-'))
  try {
    const bundled = bundledFolders[folder] ?? []
    const declarations = Object.assign({}, ...(await Promise.all(bundled.map((each) => bundle(each, stage)))))
    await compile(folder, stage, declarations)
    await writeManifest(folder, stage, bundled)
    for (const each of globSync('node_modules/**/*.d.ts', { cwd: stage })) await rm(join(stage, each))
    await cp(join(root, 'packages', folder, 'README.md'), join(stage, 'README.md'))
    await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
    for (const [from, to] of extraFiles[folder] ?? [])
      await cp(join(root, from), join(stage, to), { recursive: true })
    return await packFolder(stage, destination)
  } finally {
    await rm(stage, { recursive: true })
  }
}

/** Packs a folder with a package.json as it is. Returns the path of the tarball. */
export async function packFolder(folder: string, destination: string): Promise<string> {
  await mkdir(destination, { recursive: true })
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: maxOutputBytes })
  const [packed] = packedShape.parse(JSON.parse(stdout))
  if (packed === undefined) throw new Error(`npm packed nothing in ${folder}.`)
  return join(destination, packed.filename)
}

/**
 * Builds a package into the `node_modules` of another one. Returns where the declarations of its entries are, against
 * which the other one is compiled.
 */
async function bundle(folder: string, stage: string): Promise<Record<string, readonly string[]>> {
  const { name, exports = {} } = await readManifest(folder)
  const target = join(stage, 'node_modules', name)
  await compile(folder, target)
  await writeManifest(folder, target)
  await cp(join(root, 'LICENSE'), join(target, 'LICENSE'))
  return Object.fromEntries(
    Object.entries(exports).map(([entry, path]) => [
      name + entry.slice('.'.length),
      [join(target, toBuilt(path, '.d.ts'))],
    ]),
  )
}

async function compile(
  folder: string,
  stage: string,
  paths: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  const sources = join(root, 'packages', folder, 'src')
  const { exports } = await readManifest(folder)
  await compileSources({
    folders: [sources],
    rootDir: sources,
    outDir: join(stage, 'dist'),
    // Nobody imports a command.
    options: { declaration: exports !== undefined, paths },
  })
}

interface Compilation {
  /** The folders whose TypeScript is compiled, without tests. */
  readonly folders: readonly string[]
  /** The folder whose structure `outDir` repeats. */
  readonly rootDir: string
  readonly outDir: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Compiles folders of this checkout to JavaScript. Throws with the compiler's complaints. */
export async function compileSources({ folders, rootDir, outDir, options }: Compilation): Promise<void> {
  const project = await mkdtemp(join(tmpdir(), 'compile-'))
  try {
    const configuration = {
      extends: join(root, 'tsconfig.json'),
      include: [
        ...folders.map((folder) => join(folder, '**/*.ts')),
        join(root, 'packages/gateway/types/*.d.ts'),
      ],
      exclude: folders.flatMap((folder) => [join(folder, '**/*.test.ts'), join(folder, 'testing')]),
      compilerOptions: {
        noEmit: false,
        incremental: false,
        tsBuildInfoFile: null,
        rewriteRelativeImportExtensions: true,
        rootDir,
        outDir,
        typeRoots: [join(root, 'node_modules/@types')],
        ...options,
      },
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(configuration))
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
    await run(process.execPath, [join(root, 'node_modules/.bin/tsc'), '-p', project], {
      maxBuffer: maxOutputBytes,
    })
  } finally {
    await rm(project, { recursive: true })
  }
}

async function readManifest(folder: string): Promise<z.infer<typeof manifestShape>> {
  return manifestShape.parse(
    JSON.parse(await readFile(join(root, 'packages', folder, 'package.json'), 'utf8')),
  )
}

/** The built file of a source. */
function toBuilt(path: string, ending: string): string {
  return `./dist/${path.slice('./src/'.length, -'.ts'.length)}${ending}`
}

async function writeManifest(
  folder: string,
  stage: string,
  bundledFolders: readonly string[] = [],
): Promise<void> {
  const { exports, bin, ...manifest } = await readManifest(folder)
  const bundled = await Promise.all(bundledFolders.map(async (each) => (await readManifest(each)).name))
  const builtExports = Object.entries(exports ?? {}).map(([entry, path]) => [
    entry,
    { types: toBuilt(path, '.d.ts'), default: toBuilt(path, '.js') },
  ])
  const commands = typeof bin === 'string' ? { [manifest.name]: bin } : (bin ?? {})
  const builtCommands = Object.entries(commands).map(([name, path]) => [name, toBuilt(path, '.js')])
  const built = {
    ...manifest,
    ...(bundled.length === 0 ? {} : { bundleDependencies: bundled }),
    ...(builtExports.length === 0 ? {} : { exports: Object.fromEntries(builtExports) }),
    ...(builtCommands.length === 0 ? {} : { bin: Object.fromEntries(builtCommands) }),
  }
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(built, null, 2)}\n`)
}
