import { readFile, writeFile } from 'node:fs/promises'
import { parseOptions, runCommand } from '@trade-gateway/connector-kit/command-line'

const root = new URL('../../', import.meta.url)

interface Generator {
  /** The npm script that runs it. */
  readonly script: string
  /** The sentence of its help. */
  readonly summary: string
  /** Returns the text of each file by its path in the repository. */
  readonly generate: () => Promise<Readonly<Record<string, string>>>
}

/**
 * Runs a command that writes generated files as this process. With `--check` it writes nothing, and ends with 1 if a
 * file is not current.
 */
export function runGenerator({ script, summary, generate }: Generator): Promise<void> {
  const usage = `Usage: npm run ${script} -- [--check]

${summary}

  --check   writes nothing, and ends with 1 if a file is not current
  --help    prints this text

Exit codes: 0 written, or current; 1 not current; 64 wrong usage.
`
  return runCommand({
    usage,
    run: async (argv) => {
      const { check, help } = parseOptions(argv, {
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      })
      if (help) return 'usage'
      const files = Object.entries(await generate())
      return check ? checkFiles(files, script) : writeFiles(files)
    },
  })
}

type Files = readonly (readonly [path: string, text: string])[]

async function writeFiles(files: Files): Promise<number> {
  for (const [path, text] of files) await writeFile(new URL(path, root), text)
  return 0
}

async function checkFiles(files: Files, script: string): Promise<number> {
  let code = 0
  for (const [path, text] of files) {
    if ((await readFile(new URL(path, root), 'utf8').catch(() => '')) === text) continue
    process.stderr.write(`${path} is not current. Run: npm run ${script}\n`)
    code = 1
  }
  return code
}
