import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Proof, proof } from './proof.ts'

/** The mode of a database and of its backup: only the gateway's user reads them. */
export const fileMode = 0o600

/** A backup cannot be made or restored; the message says why and what to do. */
export class BackupFailed extends Error {}

/** Returns the name of the file with the proof of a backup. */
export function toProofFile(file: string): string {
  return `${file}.json`
}

/** Computes the size and the SHA-256 of a file. */
export async function sumFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}

/** Reads the proof of a backup and checks that the file is the one that it was made of. */
export async function readProof(file: string): Promise<Proof> {
  const path = toProofFile(file)
  if (!existsSync(file)) throw new BackupFailed(`There is no file ${file}.`)
  if (!existsSync(path))
    throw new BackupFailed(
      `There is no ${path}: the backup was not completed, or its proof was not kept with it.`,
    )
  const parsed = proof.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success) throw new BackupFailed(`${path} is not the proof of a backup that this release knows.`)
  const { bytes, sha256 } = await sumFile(file)
  if (bytes !== parsed.data.bytes || sha256 !== parsed.data.sha256)
    throw new BackupFailed(`${file} is not as it was written: its checksum is not that of ${path}.`)
  return parsed.data
}

/**
 * Gives a finished backup its name, and after that its proof. Whoever finds the proof has the whole backup, however this
 * process ends.
 */
export async function completeBackup(part: string, file: string, made: Proof): Promise<void> {
  await syncToDisk(part)
  await rename(part, file)
  const proofPart = `${toProofFile(file)}.part`
  await writeFile(proofPart, `${JSON.stringify(made, null, 2)}\n`, { mode: fileMode })
  await syncToDisk(proofPart)
  await rename(proofPart, toProofFile(file))
  await syncToDisk(dirname(file))
}

/** Moves a file, also to another file system. */
export async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    await copyFile(from, to)
    await rm(from)
  })
}

/** Waits until a file, or the names in a directory, are on the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
