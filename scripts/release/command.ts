import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { getReleasePlan } from '@changesets/get-release-plan'
import { readRootFile, root } from '../production-packages.ts'
import { addReleaseToChangelog, parseNote } from './changelog.ts'

const usage = `Usage: npm run release -- [--dry-run]

Creates the next version of the packages from the notes in .changeset: moves them and the items under "Unreleased" to
a version of CHANGELOG.md, raises the version in every package.json and in package-lock.json, and deletes the notes.
Then it packs what the release consists of into the folder packs: the packages, the CycloneDX document and the licence
list, with their checksums. Nothing is committed, tagged or published. The version of the API does not change.

  --dry-run   prints the new changelog without writing anything
  --help      prints this text
`

/** Reads the notes and the next version, which all packages share (the fixed group in `.changeset/config.json`). */
async function readNextRelease() {
  const { changesets, releases } = await getReleasePlan(root)
  const version = releases.find(({ name }) => name === '@trade-gateway/gateway')?.newVersion
  if (version === undefined)
    throw new Error('No note in .changeset asks for a release. Add one: npx changeset')
  const notes = changesets.map(({ id, summary }) => parseNote(id, summary))
  return { version, date: new Date().toISOString().slice(0, 10), notes }
}

function writeRelease(changelog: string, version: string): void {
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  const runCommand = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: root, stdio: 'inherit' })
  runCommand('npx', 'changeset', 'version')
  // Changesets does not update the root package, because it is not a workspace.
  const path = join(root, 'package.json')
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`),
  )
  runCommand('npm', 'install', '--package-lock-only')
  runCommand('npm', 'run', '-s', 'notices')
  runCommand('npm', 'run', '-s', 'pack')
  process.stdout.write(
    `Version ${version} is written, and packs holds it. Run npm test, commit, then tag: git tag v${version}\n`,
  )
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  process.stdout.write(usage)
} else {
  const release = await readNextRelease()
  const changelog = addReleaseToChangelog(readRootFile('CHANGELOG.md'), release)
  if (values['dry-run']) process.stdout.write(changelog)
  else writeRelease(changelog, release.version)
}
