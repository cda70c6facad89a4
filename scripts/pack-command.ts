import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packGateway } from './pack-gateway.ts'
import { packPackage } from './pack-package.ts'
import { root } from './production-packages.ts'
import { createSbom, sbomFile } from './sbom.ts'

/** `npm run pack`: writes what a release consists of. */

const usage = `Usage: npm run pack -- [FOLDER] [--only trade-gateway]

Builds the packages as npm publishes them, in JavaScript, and writes them into a folder (default: packs), with the
CycloneDX document, the licences of all production packages, and the SHA-256 sums of these files. Requires no network.
Publish with: npm publish FOLDER/trade-gateway-*.tgz

  --only trade-gateway   only the gateway's package
  --help                 prints this text
`

const noticesFile = 'THIRD-PARTY-NOTICES.md'

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return void process.stdout.write(usage)
  process.stdout.write(
    await packRelease(resolve(positionals[0] ?? join(root, 'packs')), values.only !== undefined),
  )
}

/** Writes all files of a release, or the gateway's package alone. Returns the list of checksums. */
async function packRelease(folder: string, isGatewayOnly: boolean): Promise<string> {
  await mkdir(folder, { recursive: true })
  const files = [await packGateway(folder)]
  if (!isGatewayOnly) {
    for (const name of ['connector', 'create-connector', 'sdk', 'cli', 'create-channel'])
      files.push(await packPackage(name, folder))
    await writeFile(join(folder, sbomFile), `${JSON.stringify(createSbom(), null, 2)}\n`)
    await copyFile(join(root, noticesFile), join(folder, noticesFile))
    files.push(join(folder, sbomFile), join(folder, noticesFile))
  }
  const sums = await Promise.all(files.map(async (file) => `${await hashFile(file)}  ${basename(file)}\n`))
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  return sums.join('')
}

async function hashFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

await main()
