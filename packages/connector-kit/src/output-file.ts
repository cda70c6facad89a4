import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const ifMissing = { throwIfNoEntry: false } as const

/** Returns why a file cannot be written, and what to do about it; undefined if it can. Writes nothing. */
export function findObstacle(path: string): string | undefined {
  try {
    const found = statSync(path, ifMissing)
    if (found?.isDirectory()) return 'it is a folder. Add the name of a file.'
    if (path.endsWith('/'))
      return 'a name that ends with "/" means a folder. Leave out the "/", or add the name of a file.'
    const folder = dirname(path)
    if (!found && !statSync(folder, ifMissing)?.isDirectory()) return describeMissing(folder)
    accessSync(found ? path : folder, found ? constants.W_OK : constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    // Such as EACCES, EROFS or ENAMETOOLONG, which the message names.
    return `${cause instanceof Error ? cause.message : cause}. Choose another file.`
  }
}

/** No folder can be created below a file. */
function describeMissing(folder: string): string {
  let above = folder
  while (!statSync(above, ifMissing) && dirname(above) !== above) above = dirname(above)
  return (statSync(above, ifMissing)?.isDirectory() ?? true)
    ? `there is no folder "${folder}". Create the folder, or choose another file.`
    : `"${above}" is a file, not a folder. Choose another file.`
}

/** Returns the same text for all names of a file, links included. The file may be one that does not exist yet. */
export function identifyFile(path: string): string {
  try {
    const found = statSync(path, { ...ifMissing, bigint: true })
    return found ? `${found.dev}:${found.ino}` : join(realpathSync(dirname(path)), basename(path))
  } catch {
    // A name that the system refuses is no other file's. Whoever opens it gets the reason.
    return path
  }
}
