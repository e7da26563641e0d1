import { expect, test } from 'vitest'
import { isPlainQuestion, questionOf } from './question.ts'

const asked = (message: string) => ({ message, values: [], tool: 'pay' })
const said = (message: string) =>
  questionOf(asked(message))
    .map(({ text }) => text)
    .join('')

test('the default question is cut: its arguments stand below it', () => {
  expect(isPlainQuestion(asked(`Run 'pay' with arguments {"to":"a? b"}?`))).toBe(true)
  expect(said(`Run 'pay' with arguments {"amount":5}?`)).toBe('Run pay?')
})

test('a question of the policy that begins like it is shown whole', () => {
  const own = `Run 'pay' with arguments {"amount":5}, which cannot be undone?`
  expect(isPlainQuestion(asked(own))).toBe(false)
  expect(said(own)).toBe(own)
})
