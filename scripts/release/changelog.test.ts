import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRootFile, root } from '../production-packages.ts'
import { addReleaseToChangelog, parseEntries, parseNote } from './changelog.ts'

const before = `# Changelog

About versions.

## Unreleased

### Fixed

- A lock is released.

## 0.1.0 - 2026-01-01

### Added

- The first thing.
`

describe('a release', () => {
  it('puts notes and unreleased items under their sections, above older versions', () => {
    const notes = [parseNote('a', 'Fixed: Two\nlines.'), parseNote('b', 'Added: A list of types.')]
    expect(addReleaseToChangelog(before, { version: '0.2.0', date: '2026-02-02', notes })).toBe(`# Changelog

About versions.

## Unreleased

## 0.2.0 - 2026-02-02

### Added

- A list of types.

### Fixed

- A lock is released.
- Two lines.

## 0.1.0 - 2026-01-01

### Added

- The first thing.
`)
  })

  it('can follow a release', () => {
    const notes = [parseNote('a', 'Changed: More.')]
    const once = addReleaseToChangelog(before, { version: '0.2.0', date: '2026-02-02', notes })
    const twice = addReleaseToChangelog(once, { version: '0.3.0', date: '2026-03-03', notes })
    expect(twice.match(/^## .*/gm)).toEqual([
      '## Unreleased',
      '## 0.3.0 - 2026-03-03',
      '## 0.2.0 - 2026-02-02',
      '## 0.1.0 - 2026-01-01',
    ])
    expect(() => addReleaseToChangelog(once, { version: '0.3.0', date: '2026-03-03', notes: [] })).toThrow(
      'Nothing to release',
    )
  })

  it.each([
    '- An item without a section.',
    '### Removed\n\n- A thing.',
    '### Added\n\n- One line\n  and another.',
  ])('loses nothing: it refuses %j', (part) => {
    expect(() => parseEntries(part)).toThrow('must be an item')
  })

  it.each(['A sentence.', 'Removed: A thing.', 'Added:', ''])('refuses the note %j', (summary) => {
    expect(() => parseNote('a', summary)).toThrow('.changeset/a.md must begin with')
  })
})

describe('this repository', () => {
  it('has notes and an Unreleased list that can be released', () => {
    const folder = join(root, '.changeset')
    const notes = readdirSync(folder)
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => parseNote(name, readFileSync(join(folder, name), 'utf8').replace(/^---.*?^---$/ms, '')))
    const all = [...notes, { section: 'Added', text: 'One.' } as const]
    expect(
      addReleaseToChangelog(readRootFile('CHANGELOG.md'), {
        version: '9.9.9',
        date: '2026-01-01',
        notes: all,
      }),
    ).toContain('## 9.9.9')
  })
})
