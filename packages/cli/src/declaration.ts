/** An option of a command. Its key is its name after `--`. */
export interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: true
  /** What stands for the value in help texts. */
  readonly value?: string
  readonly help: string
  /** The values that are possible, for help, for completion, and to refuse others. */
  readonly choices?: readonly string[]
}

/** A positional argument. */
export interface ArgumentSpec {
  readonly help: string
  readonly isOptional?: true
  /** The values that are possible, for completion, and to refuse others. */
  readonly choices?: readonly string[]
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>

/** What a command says of itself, apart from its options. */
export interface CommandFacts {
  /** The words after `tgw`, such as `stock pull`. */
  readonly name: string
  readonly summary: string
  /** More than the summary says. */
  readonly description?: string
  /** Command lines without `tgw`, with what each does. */
  readonly examples: readonly (readonly [line: string, what: string])[]
  /** What a program or an agent should know: side effects, cost, what to do next. */
  readonly agents?: string
  /** Whether it changes nothing, so that nothing is left undone when the reader of its output goes. */
  readonly isReading?: true | ((args: Readonly<Record<string, string | undefined>>) => boolean)
  /** Left out of help and completion. */
  readonly isHidden?: true
}

/** What is known of a command without running it. Help, completion and suggestions are read from these. */
export interface Declaration extends CommandFacts {
  readonly options: OptionSpecs
  readonly args: ArgumentSpecs
}
