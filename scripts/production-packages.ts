import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export const root = join(import.meta.dirname, '..')

/** A package from the registry that an installation without development dependencies contains. */
export interface ProductionPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Whether npm leaves it out on other platforms, such as the Node binary of another processor. */
  readonly isOptional: boolean
  readonly hasInstallScript: boolean
  /** Relative to the root of the repository. */
  readonly folder: string
}

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      link: z.boolean().default(false),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
      optional: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
})

/** Lists the production packages of a lock file, sorted by folder. Workspaces are links in it and are left out. */
export function listProductionPackages(lockText: string): ProductionPackage[] {
  const { packages } = lockFile.parse(JSON.parse(lockText))
  return Object.entries(packages)
    .filter(
      ([folder, { link, dev, devOptional }]) =>
        folder.includes('node_modules/') && !link && !dev && !devOptional,
    )
    .map(([folder, locked]) => ({
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: locked.version ?? '',
      licence: locked.license ?? '',
      isOptional: locked.optional,
      hasInstallScript: locked.hasInstallScript,
      folder,
    }))
    .sort((one, other) => compareCodeUnits(one.folder, other.folder))
}

/** Compares by code unit, because the order must not depend on the locale of the machine. */
function compareCodeUnits(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export function readRootFile(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
