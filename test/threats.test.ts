import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PRIOR_ART_COUNT, THREAT_SECTIONS } from '../promises/threats/all.ts'
import { PRIOR_ART } from '../promises/threats/prior-art.ts'
import { isCovered, type Threat } from '../promises/threats/threat.ts'

const root = path.resolve(import.meta.dirname, '..')
const all: readonly (readonly [id: string, threat: Threat])[] = [
  ...THREAT_SECTIONS.flatMap(({ threats }) => Object.entries(threats)),
  ...Object.entries(PRIOR_ART),
]

test.each(THREAT_SECTIONS)('$id has every number of the threat model', (section) => {
  const { id, count, threats } = section
  const numbered = Array.from(
    { length: count },
    (_, index) => `${id}-${String(index + 1).padStart(2, '0')}`,
  )
  expect(Object.keys(threats)).toEqual(numbered)
})

test('the bugs of other projects have every number of the collection, and a source', () => {
  const numbered = Array.from({ length: PRIOR_ART_COUNT }, (_, index) => `${index + 1}`)
  expect(Object.keys(PRIOR_ART)).toEqual(numbered)
  for (const { source } of Object.values(PRIOR_ART)) expect(source).toMatch(/^\S.{3,}\S$/)
})

/** A title stands in its file as the beginning of a text, in any kind of quotation marks. */
function holds(file: string, title: string): boolean {
  const text = readFileSync(path.join(root, file), 'utf8')
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}`))
}

test('every test that is cited exists, under that title', () => {
  const missing = all.flatMap(([id, threat]) =>
    Object.entries(isCovered(threat) ? threat.tests : {}).flatMap(([file, titles]) => {
      if (!existsSync(path.join(root, file))) return [`${id}: there is no ${file}`]
      return titles
        .filter((title) => title.length < 2 || !holds(file, title))
        .map((title) => `${id}: ${file} has no test "${title}"`)
    }),
  )
  expect(missing).toEqual([])
})

test('what is cited is a test, or a case that tests run', () => {
  const files = all.flatMap(([, threat]) => (isCovered(threat) ? Object.keys(threat.tests) : []))
  const others = files.filter(
    (file) => !/\.test\.ts$|^(?:src\/testing|test\/workflows)\/.*case/.test(file),
  )
  expect(others).toEqual([])
})

test.each(all)('%s is said in sentences', (_, threat) => {
  const words = isCovered(threat) ? [threat.partly, threat.limit] : [threat.reason]
  for (const sentence of [threat.threat, ...words]) {
    if (sentence === undefined) continue
    expect(sentence).toMatch(/^[A-Z`].*[^ ]\.$/)
    expect(sentence).not.toMatch(/\n| {2}/)
  }
  if (!isCovered(threat)) return
  expect(Object.keys(threat.tests)).not.toEqual([])
  // Tests of the documentation alone prevent nothing, and must not look as if they did.
  const isOnlySaid = Object.keys(threat.tests).every((file) => file.includes('documented-limits'))
  expect(threat.limit !== undefined).toBe(isOnlySaid)
})

test('no two entries describe the same threat', () => {
  const said = all.map(([, { threat }]) => threat.toLowerCase())
  expect(said.filter((one, index) => said.indexOf(one) !== index)).toEqual([])
})

test('tests that were written for a threat name it, and are cited for it', () => {
  const folder = path.join(import.meta.dirname, 'threats')
  const named = readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8')
      const titles = [...text.matchAll(/['"`]((?:B\d+-\d+(?:, )?)+): /g)]
      const tests = text.match(/^test(?:\.each)?\(/gm)?.length ?? 0
      expect(titles.length, file).toBeGreaterThanOrEqual(tests)
      return titles.flatMap(([, ids = '']) =>
        ids.split(', ').map((id) => [id, `test/threats/${file}`] as const),
      )
    })
  const uncited = named.filter(([id, file]) => {
    const [, threat] = all.find(([other]) => other === id) ?? []
    return !threat || !isCovered(threat) || !Object.hasOwn(threat.tests, file)
  })
  expect(uncited).toEqual([])
})

test('a test of a bug that another project had names where it was published', () => {
  const files = ['test/approval/prior-art-bugs.test.ts', 'test/gate/prior-art-bugs.test.ts']
  const bugs = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return [
      ...text.matchAll(/((?:^\/\/ .*\n)+)test(?:(?!\ntest)[\s\S])*?'bug ((?:\d+(?:, )?)+): /gm),
    ].map(([, comment = '', ids = '']) => ({
      said: comment.replaceAll(/\s*\n?\/\/ /g, ' '),
      ids,
      file,
    }))
  })
  const titles = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/'bug \d/g)].map(() => file),
  )
  expect(bugs.map(({ file }) => file)).toEqual(titles)
  for (const { said, ids } of bugs) {
    for (const id of ids.split(', ')) expect(said, `bug ${id}`).toContain(PRIOR_ART[id]?.source)
  }
})
