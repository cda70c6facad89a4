import type { Context } from './context.ts'
import type { ArgumentSpecs, CommandFacts, Declaration, OptionSpecs } from './declaration.ts'

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { type: 'boolean' }
    ? boolean
    : Specs[Name] extends { multiple: true }
      ? readonly string[]
      : string | undefined
}

export type ArgumentValues<Specs extends ArgumentSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { isOptional: true } ? string | undefined : string
}

/** What the user typed for a command. */
export interface Given<
  Options extends OptionSpecs = OptionSpecs,
  Args extends ArgumentSpecs = ArgumentSpecs,
> {
  readonly options: OptionValues<Options>
  readonly args: ArgumentValues<Args>
}

/** A command as a value. Help, completion, suggestions and `tgw commands` are read from the list of these. */
export interface Command extends Declaration {
  readonly run: (context: Context, given: Given) => Promise<void>
}

interface CommandSpec<Options extends OptionSpecs, Args extends ArgumentSpecs> extends CommandFacts {
  readonly options?: Options
  readonly args?: Args
  readonly run: (context: Context, given: Given<Options, Args>) => Promise<void>
}

/** Declares a command. `run` gets values of the types that its options declare. */
export function command<
  const Options extends OptionSpecs = Record<never, never>,
  const Args extends ArgumentSpecs = Record<never, never>,
>(spec: CommandSpec<Options, Args>): Command {
  const { options, args, run, ...facts } = spec
  return {
    ...facts,
    options: options ?? {},
    args: args ?? {},
    run: (context, given) => run(context, asDeclared<Options, Args>(given)),
  }
}

/** The parser reads exactly the options and arguments that the command declares. */
function asDeclared<Options extends OptionSpecs, Args extends ArgumentSpecs>(given: Given) {
  return given as Given<Options, Args>
}
