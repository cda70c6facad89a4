/** The child process of `jobs.ts`: replaces the platform, and runs its seeds. */
import { replacePlatform } from './platform.ts'

replacePlatform()
const { serveSeeds } = await import('./seeds.ts')
const { runWorld } = await import('./world.ts')
serveSeeds(runWorld)
