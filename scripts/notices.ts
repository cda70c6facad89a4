import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listProductionPackages, type ProductionPackage, readRootFile, root } from './production-packages.ts'

/**
 * `npm run notices` writes THIRD-PARTY-NOTICES.md: the production packages of the lock file with their licence texts.
 * `--check` writes nothing and fails if the file is out of date. Only one of the optional platform binaries of the
 * `node` package is installed; the others get its licence text, so the file is the same on every platform.
 */

const noticesFile = 'THIRD-PARTY-NOTICES.md'

const usage = `Usage: npm run notices -- [--check]

Writes ${noticesFile}: the production packages with their licence texts.

  --check  writes nothing, and ends with exit code 1 if the file is out of date
  --help   prints this text
`

interface Notice {
  readonly packages: readonly ProductionPackage[]
  readonly text: string
}

export function formatNotices(packages: readonly ProductionPackage[]): string {
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  const texts = groupByText(packages).map(
    ({ packages: named, text }) =>
      `### ${named.map(({ name, version }) => `${name} ${version}`).join(', ')}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`,
  )
  return `# Third-party notices

Trade Gateway is distributed with these packages. \`npm run notices\` writes this file from \`package-lock.json\` and the
installed packages.

| Package | Version | Licence |
|---|---|---|
${rows.join('\n')}

## Licence texts

${texts.join('\n')}`
}

/** Groups the packages by their licence text, so that each text is printed once. */
function groupByText(packages: readonly ProductionPackage[]): Notice[] {
  const byText = new Map<string, ProductionPackage[]>()
  for (const each of packages) {
    const text = readLicenceText(each, packages)
    byText.set(text, [...(byText.get(text) ?? []), each])
  }
  return [...byText].map(([text, named]) => ({ packages: named, text }))
}

function readLicenceText(each: ProductionPackage, packages: readonly ProductionPackage[]): string {
  const folder = findInstalledFolder(each, packages)
  const files = readdirSync(folder)
    .filter((name) => /licen[cs]e|notice|copying/i.test(name))
    .sort()
  const texts = files.map((name) => normalizeText(readFileSync(join(folder, name), 'utf8')))
  if (texts.length === 0) return `The package has no licence file; its package.json says ${each.licence}.`
  return [...new Set(texts)].join('\n\n')
}

/** Finds the folder of a package; for an optional package that is missing, that of a sibling of the same version. */
function findInstalledFolder(each: ProductionPackage, packages: readonly ProductionPackage[]): string {
  const family = each.name.slice(0, each.name.lastIndexOf('-'))
  const siblings = packages.filter(
    ({ name, version, isOptional }) =>
      isOptional && name.startsWith(`${family}-`) && version === each.version,
  )
  const folders = [each, ...(each.isOptional ? siblings : [])].map(({ folder }) => join(root, folder))
  const installed = folders.find((folder) => existsSync(folder))
  if (installed === undefined) throw new Error(`${each.name} is not installed. Run npm ci, then try again.`)
  return installed
}

function normalizeText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim()
}

function writeOrCheckNotices(isCheck: boolean): number {
  const wanted = formatNotices(listProductionPackages(readRootFile('package-lock.json')))
  const path = join(root, noticesFile)
  if (!isCheck) {
    writeFileSync(path, wanted)
    return 0
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return 0
  process.stderr.write(`${noticesFile} is out of date. Run npm run notices and commit the file.\n`)
  return 1
}

/** Reads the options; undefined if they are wrong. */
function readOptions(): { readonly check?: boolean; readonly help?: boolean } | undefined {
  try {
    return parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } }).values
  } catch {
    return undefined
  }
}

function run(): number {
  const options = readOptions()
  if (options && !options.help) return writeOrCheckNotices(options.check === true)
  const output = options ? process.stdout : process.stderr
  output.write(usage)
  return options ? 0 : 64
}

if (import.meta.main) process.exitCode = run()
