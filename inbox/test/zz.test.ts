import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { bareTexts, messagesIn, sources } from './messages.ts'
test('x', () => {
  const all = sources.map(messagesIn)
  console.log(all.flatMap((one) => one.problems).join('\n'))
  const keys = new Map<string, boolean>()
  for (const { messages } of all) for (const { text, isPlural } of messages) keys.set(text, isPlural || (keys.get(text) ?? false))
  console.log(keys.size)
  writeFileSync('/tmp/i18n/keys.json', JSON.stringify([...keys], null, 0))
  writeFileSync('/tmp/i18n/bare.txt', sources.flatMap(bareTexts).join('\n'))
})
