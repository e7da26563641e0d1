import { expect, test } from 'vitest'
import { isPlainQuestion, questionOf, summaryOf } from './question.ts'

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

const PATCH = `--- a/src/billing/tax.ts
+++ b/src/billing/tax.ts
@@ -1,3 +1,3 @@
 const RATES = {
-  DE: 0.19,
+  DE: 0.16,
 }
`
const summary = (args: object) => {
  const message = `Run 'pay' with arguments ${JSON.stringify(args)}?`
  return summaryOf(asked(message))
    .map(({ text, quoted }) => (quoted ? `«${text}»` : text))
    .join('')
}

test('the row of a patch names its files and counts its lines', () => {
  expect(summary({ dry_run: false, patch: PATCH })).toBe(
    '«src/billing/tax.ts» +1 −1 · dry_run «false»',
  )
  const gone = '--- a/b.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n'
  expect(summary({ patch: PATCH + gone })).toBe('«src/billing/tax.ts» and 1 more +1 −2')
  // Lines inside of a hunk that look like the head of another file are lines of this one.
  const tricky = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-z\n+++ b/y\n+q\n'
  expect(summary({ patch: tricky })).toBe('«x» +2 −2')
})

test('of a patch that the list cuts, the first file is named and no line is counted', () => {
  const args = JSON.stringify({ patch: PATCH.repeat(20) })
  const message = `Run 'pay' with arguments ${args}`.slice(0, 500)
  const parts = summaryOf(asked(`${message}…`))
  expect(parts.map(({ text }) => text).join('')).toBe('src/billing/tax.ts …')
})

test('a patch that does more than its lines show has no short form', () => {
  for (const more of ['rename from a\nrename to b\n', 'new mode 100755\n', 'rm -rf /\n']) {
    expect(summary({ patch: more + PATCH })).toContain('patch «')
    expect(summary({ patch: PATCH + more })).toContain('patch «')
  }
})
