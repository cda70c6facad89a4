/** A plugin of Stryker that notes how long the tests of a suite took, which a run does not return. */

import type { DryRunCompletedEvent } from '@stryker-mutator/api/report'

class SuiteTime {
  /** The time that the tests of the last run took without a mutant, without loading and preparing them. */
  ms = 0

  onDryRunCompleted({ timing }: Pick<DryRunCompletedEvent, 'timing'>) {
    this.ms = timing.net
  }
}

export const suiteTime = { kind: 'Reporter', name: 'suite-time', value: new SuiteTime() } as const
/** The name under which Stryker looks for plugins. Its processes that run tests load this file as well. */
export const strykerPlugins = [suiteTime]
