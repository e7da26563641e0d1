import { expect, test } from 'vitest'
import { createReport, formatMistake, MAX_MISTAKES, policyError, show } from './read-report.ts'

const at = (line: number, column = 1) => ({ file: 'p.yaml', line, column })

test('mistakes come in the order of the file', () => {
  const report = createReport()
  report.mistake(at(9), 'c', 'x', 'third')
  report.mistake(at(2, 7), 'b', 'x', 'second')
  report.mistake(at(2, 3), 'a', 'x', 'first')
  expect(report.mistakes().map(({ message }) => message)).toEqual(['first', 'second', 'third'])
})

test('after fifty mistakes only their number is told', () => {
  const report = createReport()
  for (let line = 1; line <= 62; line++) report.mistake(at(line), '', 'x', `m${line}`)
  expect(report.mistakes()).toHaveLength(MAX_MISTAKES + 1)
  expect(report.mistakes().at(-1)).toMatchObject({ kind: 'more', message: 'and 12 more' })
})

test('exactly fifty mistakes are all told', () => {
  const report = createReport()
  for (let line = 1; line <= MAX_MISTAKES; line++) report.mistake(at(line), '', 'x', 'm')
  expect(report.mistakes()).toHaveLength(MAX_MISTAKES)
})

test('what a file holds cannot steer the terminal that shows it', () => {
  const report = createReport()
  report.mistake(at(1), 'a\u001b[2J', 'x', 'b\u202ec\u0007\nd\u200be')
  const [mistake] = report.mistakes()
  expect(mistake).toMatchObject({
    path: 'a\\u001b[2J',
    message: 'b\\u202ec\\u0007\\u000ad\\u200be',
  })
})

test('long values and sentences are cut', () => {
  const report = createReport()
  report.mistake(at(1), '', 'x', 'a'.repeat(10_000))
  expect(report.mistakes()[0]?.message.length).toBeLessThanOrEqual(400)
  expect(show('b'.repeat(1_000))).toBe(`"${'b'.repeat(57)}..."`)
})

test.each([
  [{ place: at(4, 7), path: 'tools.pay', kind: 'x', message: 'no' }, 'p.yaml:4:7: tools.pay: no'],
  [{ place: at(4, 7), path: '', kind: 'x', message: 'no' }, 'p.yaml:4:7: no'],
  [
    { place: { file: 'code', line: 0, column: 0 }, path: 'code.pay', kind: 'x', message: 'no' },
    'code: code.pay: no',
  ],
])('a mistake reads as place, path and sentence', (mistake, line) => {
  expect(formatMistake(mistake)).toBe(line)
})

test('the error lists every mistake and what to do', () => {
  const report = createReport()
  report.mistake(at(1), 'version', 'x', 'one')
  report.mistake(at(2), 'tools', 'x', 'two')
  const error = policyError(report.mistakes())
  expect(error).toMatchObject({ code: 'policy_invalid', details: { mistakes: report.mistakes() } })
  expect(error.message).toBe('p.yaml:1:1: version: one\np.yaml:2:1: tools: two')
  expect(error.hint).toContain('policy check')
})
