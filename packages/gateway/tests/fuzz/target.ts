import fc from 'fast-check'

/** A part of the product that reads what strangers send, with the inputs and what must hold for each of them. */
export interface FuzzTarget<Input = unknown> {
  readonly name: string
  /** Draws inputs, which are JSON, so that they can be kept. */
  readonly inputs: fc.Arbitrary<Input>
  /** Starts what is fuzzed. The returned `check` throws if an input breaks a guarantee. */
  open(): Promise<OpenTarget<Input>>
}

export interface OpenTarget<Input> {
  check(input: Input): void | Promise<void>
  close?(): Promise<void>
}

/**
 * Forgets the type of a target's inputs, so that targets can be listed. A target gets only inputs that it draws, and
 * those that the corpus keeps below its name.
 */
export function toAnyTarget<Input>(target: FuzzTarget<Input>): FuzzTarget {
  return target as unknown as FuzzTarget
}

/** Declares a target that has nothing to start. */
export function pureTarget<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  check: (input: Input) => void,
): FuzzTarget {
  return toAnyTarget({ name, inputs, open: async () => ({ check }) })
}

const maxPieces = 24
const maxStrangeCharacters = 6

/** Draws texts of known words, between which there are some characters of any kind. */
export function soupOf(
  words: readonly string[],
  unit: 'binary' | 'binary-ascii' = 'binary',
): fc.Arbitrary<string> {
  const strange = fc.string({ unit, maxLength: maxStrangeCharacters })
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: strange },
  )
  return fc.array(word, { maxLength: maxPieces }).map((pieces) => pieces.join(''))
}

/** Throws if something that must hold does not. */
export function requireThat(holds: boolean, story: string): asserts holds {
  if (!holds) throw new Error(story)
}
