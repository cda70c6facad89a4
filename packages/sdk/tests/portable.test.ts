import { afterAll, beforeAll, describe, it } from 'vitest'
import { openTarget } from './open-target.ts'
import { cases } from './portable/cases.ts'

/** The suite that `.ci/sdk.sh` runs on every runtime, here on the Node of the project. */
describe('the SDK', () => {
  let opened: Awaited<ReturnType<typeof openTarget>>
  beforeAll(async () => {
    opened = await openTarget()
  })
  afterAll(() => opened.close())

  it.for(cases)('$name', ({ run }) => run(opened.target))
})
