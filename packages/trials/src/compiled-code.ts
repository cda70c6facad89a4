import { join } from 'node:path'

/**
 * The setting of Node with which the processes of tests and trials share their compiled code. Without it, each takes half
 * a second to three seconds to load these sources. It is beside the packages: whoever can write there can change them too.
 */
export const compiledCode = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/compiled'),
}
