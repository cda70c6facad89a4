import { command } from '../command.ts'
import { complete } from '../complete.ts'
import { exitMeanings } from '../failures.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** The scripts ask `tgw complete`, so that they never differ from the commands. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_tgw() {
  local IFS=$'\\n'
  COMPREPLY=($(tgw complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tgw tgw
`,
  zsh: `#compdef tgw
_tgw() {
  local -a found
  found=("\${(@f)$(tgw complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[*]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _tgw tgw
`,
  fish: `complete -c tgw -f -a '(tgw complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

export const completion = command({
  name: 'completion',
  summary: 'print the completion for bash, zsh or fish',
  isReading: true,
  examples: [
    ['completion bash > ~/.local/share/bash-completion/completions/tgw', 'bash'],
    ['completion zsh > ~/.zfunc/_tgw', 'zsh, with ~/.zfunc in fpath'],
    ['completion fish > ~/.config/fish/completions/tgw.fish', 'fish'],
  ],
  args: { shell: { help: shells.join(', '), choices: shells } },
  async run({ globals, out }, { args }) {
    // The parser lets no other one through.
    const shell = shells.find((each) => each === args.shell) ?? 'bash'
    await (globals.json ? out.json({ shell, script: scripts[shell] }) : out.write(scripts[shell]))
  },
})

export const completeCommand = command({
  name: 'complete',
  summary: 'print the words that can follow, for the scripts of `tgw completion`',
  isReading: true,
  examples: [],
  isHidden: true,
  args: {},
  async run({ out, commands, words }) {
    for (const word of complete(words, commands)) await out.line(word)
  },
})

export const commandsList = command({
  name: 'commands',
  summary: 'describe every command, for programs and agents',
  isReading: true,
  examples: [['commands --json | jq -r .name', '']],
  async run({ globals, out, commands }) {
    const visible = commands.filter(({ isHidden }) => !isHidden)
    if (!globals.json)
      return out.table(visible.map(({ name, summary }) => ({ command: `tgw ${name}`, summary })))
    for (const { name, summary, description, args, options, examples, agents } of visible)
      await out.json({
        name,
        summary,
        ...(description === undefined ? {} : { description }),
        arguments: Object.entries(args).map(([each, { help, isOptional }]) => ({
          name: each,
          help,
          required: !isOptional,
        })),
        options: Object.entries(options).map(([each, { type, help, choices, multiple }]) => ({
          name: `--${each}`,
          type,
          help,
          ...(choices ? { choices } : {}),
          ...(multiple ? { multiple } : {}),
        })),
        examples: examples.map(([line]) => `tgw ${line}`),
        ...(agents === undefined ? {} : { agents }),
        exit_codes: exitMeanings.map(([code]) => code),
      })
  },
})
