/** The suite runs on the Node that comes along as a dependency, not on an older one of the machine. */
export default function setup() {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 24)
    throw new Error(`Node 24 is needed, this is ${process.version}. Run the tests with: npm test`)
}
