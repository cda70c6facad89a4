import { command } from '../command.ts'
import { runChecks } from '../doctor/checks.ts'
import { CommandError } from '../failures.ts'
import { readTarget } from '../target.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'find out why something does not work',
  isReading: true,
  description:
    'Checks Node, the files of the profile, address, proxy, gateway, clock, sign-in and webhook endpoints. Each failure ends with what to type.',
  examples: [
    ['doctor', ''],
    ['doctor --forward-to :3000/hook', 'look for your handler, too'],
  ],
  agents:
    'Ends with 1 if a check fails. Each line of --json: check, grade (ok, warning, failure), text, fix.',
  options: { 'forward-to': { type: 'string', value: 'URL', help: 'a handler of webhooks to look for' } },
  async run(context, { options }) {
    const { globals, out, paint } = context
    const to = options['forward-to']
    const target = to === undefined ? undefined : readTarget(to)
    const marks = { ok: paint.out.green('✓'), warning: paint.out.yellow('!'), failure: paint.out.red('✗') }
    let failures = 0
    for await (const finding of runChecks({
      context,
      target,
      nodeVersion: process.versions.node,
      now: Date.now,
    })) {
      if (finding.grade === 'failure') failures += 1
      if (globals.json) await out.json(finding)
      else {
        await out.line(`${marks[finding.grade]} ${finding.check.padEnd(9)} ${finding.text}`)
        if (finding.fix !== undefined) await out.line(`  → ${finding.fix}`)
      }
    }
    if (failures > 0)
      throw new CommandError(failures === 1 ? 'A check failed.' : `${failures} checks failed.`)
  },
})
