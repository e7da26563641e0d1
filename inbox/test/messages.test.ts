/** The catalogues say what the sources say, no more and no less, and the sources say it through them. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { bareTexts, type Message, messagesIn, sources } from './messages.ts'

type Entry = string | Readonly<Record<string, string>>

const folder = path.resolve(import.meta.dirname, '../src/lib/language/catalogues')
const catalogues = readdirSync(folder).map((name) => ({
  tag: name.replace('.json', ''),
  entries: new Map<string, Entry>(
    Object.entries(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))),
  ),
}))

const read = sources.map(messagesIn)
const messages: ReadonlyMap<string, Message> = new Map(
  read.flatMap(({ messages: found }) => found.map((one) => [one.text, one] as const)),
)

const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join(' ')

test('messages and a catalogue were found', () => {
  expect(messages.size).toBeGreaterThan(1_000)
  expect(catalogues.map(({ tag }) => tag)).toContain('de')
})

test('every text that is said is written where it is said', () => {
  expect(read.flatMap(({ problems }) => problems)).toEqual([])
})

promise(['CS-INBOX-45'], 'no page has a text that is said in English alone', () => {
  expect(sources.flatMap(bareTexts)).toEqual([])
})

promise(['CS-INBOX-45'], 'every catalogue has every message, and nothing else', () => {
  for (const { tag, entries } of catalogues) {
    const missing = [...messages.keys()].filter((text) => !entries.has(text))
    const unused = [...entries.keys()].filter((text) => !messages.has(text))
    expect({ tag, missing, unused }).toEqual({ tag, missing: [], unused: [] })
  }
})

promise(
  ['CS-INBOX-45'],
  'every translation has the places of its message, and says something',
  () => {
    const wrong = catalogues.flatMap(({ tag, entries }) =>
      [...entries].flatMap(([text, entry]) => {
        const forms = typeof entry === 'string' ? [entry] : Object.values(entry)
        // A form for one may say the number in words; the form for all others is as the message.
        const whole = typeof entry === 'string' ? entry : (entry.other ?? '')
        const isFull = namesIn(whole) === namesIn(text) && forms.every((form) => form.trim() !== '')
        const isKind = (messages.get(text)?.isPlural ?? false) === (typeof entry === 'object')
        const others = forms.filter((form) => !namesIn(text).includes(namesIn(form)))
        return isFull && isKind && others.length === 0 ? [] : [`${tag}: ${text}`]
      }),
    )
    expect(wrong).toEqual([])
  },
)

promise(['CS-INBOX-45'], 'every plural has the forms that its language has', () => {
  for (const { tag, entries } of catalogues) {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    const wrong = [...entries].filter(
      ([, entry]) =>
        typeof entry === 'object' &&
        pluralCategories.toSorted().join() !== Object.keys(entry).sort().join(),
    )
    expect(wrong.map(([text]) => text)).toEqual([])
  }
})

test('a text that is not said through the catalogue is found, wherever it stands', () => {
  const found = (text: string) => bareTexts({ file: 'one.tsx', text })
  expect(found('const a = <p>Said in English</p>')).toEqual(['one.tsx: Said in English'])
  expect(found('const a = <p title="A title">{t("x")}</p>')).toEqual(['one.tsx: A title'])
  expect(found('const a = <p aria-label={on ? "On" : t("Off")} />')).toEqual(['one.tsx: On'])
  expect(found('const a = <p>{on && `and $' + '{b} more`}</p>')).toEqual(['one.tsx: and … more'])
  expect(found('const a = <p className="flex">{t("fine")} <code>npm i</code></p>')).toEqual([])
})

test('a text that is put together elsewhere is not taken for a message', () => {
  const file = 'one.ts'
  expect(messagesIn({ file, text: 't(name)' }).problems).toEqual(['one.ts: t() without a text'])
  expect(messagesIn({ file, text: "plural(n, '{n} call', words)" }).problems).toHaveLength(1)
  expect(messagesIn({ file, text: "t('Saved.')" }).messages).toMatchObject([{ text: 'Saved.' }])
})
