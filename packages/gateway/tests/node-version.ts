/**
 * Throws if the suite runs on a Node older than 24, such as one of the machine instead of the one in the dependencies.
 */
export default function setup() {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 24)
    throw new Error(`Node 24 is needed, this is ${process.version}. Run the tests with: npm test`)
}
