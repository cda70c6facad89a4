import { listStaleTexts } from '../contract/texts/translation.ts'
import { declaredTexts } from './declared.ts'
import { stampTranslation } from './stamp.ts'

const usage = `Usage: npm run translations -- <command>

  check                    lists the translations of endpoints, events and actions whose English has changed since;
                           exit code 1 if there are any.
  stamp <zh|ko> <name>...  records that a translation matches the current English (its line "source:").
                           Run it after translating. A name is an endpoint's id, an event's type or an action's name.
`

function reportStaleTexts(): number {
  const stale = listStaleTexts(declaredTexts)
  for (const line of stale) process.stdout.write(`${line}\n`)
  process.stdout.write(`${stale.length} out of date\n`)
  return stale.length > 0 ? 1 : 0
}

function stampAll(language: 'zh' | 'ko', names: readonly string[]): number {
  let missing = 0
  for (const name of names) {
    const text = declaredTexts.find((each) => each.name === name)
    if (text && stampTranslation(language, text)) process.stdout.write(`${name} in ${language}: stamped\n`)
    else {
      process.stderr.write(`There is no text "${name}" in ${language}.\n`)
      missing += 1
    }
  }
  return missing > 0 ? 1 : 0
}

function run([command, language, ...names]: readonly string[]): number {
  if (command === 'check') return reportStaleTexts()
  if (command === 'stamp' && (language === 'zh' || language === 'ko') && names.length > 0) {
    return stampAll(language, names)
  }
  const isHelp = command === '--help'
  const output = isHelp ? process.stdout : process.stderr
  output.write(usage)
  return isHelp ? 0 : 64
}

process.exitCode = run(process.argv.slice(2))
