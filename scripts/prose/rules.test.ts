import { describe, expect, it } from 'vitest'
import { findPageViolations, findTextViolations } from './command.ts'
import { maxWordsPerSentence, wordRules } from './rules.ts'

const createSentence = (count: number) => `Word ${Array.from({ length: count - 1 }, () => 'word').join(' ')}.`
const listMessages = (markdown: string) => findPageViolations(markdown).map(({ message }) => message)

describe('the prose linter', () => {
  it('finds a sentence that is too long, and names its line', () => {
    const [complaint, ...others] = findPageViolations(
      `# Title\n\nShort. ${createSentence(maxWordsPerSentence + 1)}`,
    )
    expect(complaint).toMatchObject({ line: 3, message: expect.stringContaining('36 words') })
    expect(others).toEqual([])
  })

  it('accepts a sentence of exactly the bound, and counts code as one word', () => {
    expect(findPageViolations(createSentence(maxWordsPerSentence))).toEqual([])
    expect(
      findPageViolations(`\`${createSentence(40)}\` ${createSentence(maxWordsPerSentence - 1)}`),
    ).toEqual([])
  })

  it.each([
    ['The response answers the call.', 'returns'],
    ['The gateway tells the caller.', 'report'],
    ['A key is needed.', 'required'],
    ['The write is in doubt.', 'outcome unknown'],
    ['How to provoke an error.', 'reproduce'],
    ['Mend the request.', 'fix'],
    ['The stock is made up.', 'simulated'],
    ['Pull anew.', 'again'],
    ['The path stands at the top.', 'is at'],
    ['What a promise is worth.', 'guarantee'],
    ['A number that is none.', 'not valid'],
    ['One door for all.', 'pipeline'],
    ['A shelf never changes.', 'snapshot'],
    ['Four lanes run.', 'queue worker'],
    ['Rules of the house.', 'architecture'],
    ['The rooms of the gateway.', 'module'],
    ['It has 600 points a minute.', '60 seconds'],
  ])('finds the word of style.md in "%s" and names its replacement', (text, instead) => {
    expect(listMessages(text).join()).toContain(instead)
  })

  it('has a planted sentence for every rule of the list', () => {
    expect(wordRules).toHaveLength(17)
  })

  it('leaves code, links and names of fields alone', () => {
    expect(listMessages('The field `in_doubt` of a [warehouse](/docs/answers) has a `door`.')).toEqual([])
    expect(listMessages('```sh run\necho "the answer is needed"\n```')).toEqual([])
  })

  it('finds an identifier outside of code font', () => {
    expect(listMessages('Send client_order_number with POST /api/v1/orders.')).toEqual([
      '"client_order_number" must be in code font',
      '"POST /api/v1/orders" must be in code font',
    ])
    expect(listMessages('Wait for Retry-After, and set ADMIN_TOKEN.')).toHaveLength(2)
  })

  it('reads each cell of a table, each item of a list, and the front matter', () => {
    expect(findPageViolations('| a | it tells |\n|---|---|\n| door | c |')).toHaveLength(2)
    expect(findPageViolations(`- ${createSentence(20)}\n- ${createSentence(20)}`)).toEqual([])
    expect(findPageViolations('---\ntitle: The door\nsummary: What it answers.\n---\n\ntext')).toHaveLength(2)
  })

  it('reads the texts of the contract, where a title is plain text', () => {
    expect(
      findTextViolations({ errors: { X: { title: 'Invalid Retry-After', hint: 'Wait for Retry-After.' } } }),
    ).toEqual(['errors.X.hint: "Retry-After" must be in code font'])
  })
})
