import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DOORS } from './interop/doors.ts'
import { interopPage, PAGE, read, versionOf } from './interop-table.ts'
import { root } from './tool.ts'

test('docs/interop.md says what the tests were run with', () => {
  expect(readFileSync(PAGE, 'utf8'), 'run `npm run interop`').toBe(interopPage())
})

test('every test that is named exists, under that title', () => {
  const missing = DOORS.flatMap(({ door, tests }) =>
    Object.entries(tests).flatMap(([file, titles]) => {
      if (!existsSync(path.join(root, file))) return [`${door}: there is no ${file}`]
      const text = read(file)
      // After a quotation mark, or after a placeholder in a template.
      const marks = ["'", '"', '`', '}: ']
      const has = (title: string) => marks.some((mark) => text.includes(mark + title))
      return titles.filter((title) => !has(title)).map((title) => `${door}: ${file}: ${title}`)
    }),
  )
  expect(missing).toEqual([])
})

test('every package that is named is loaded by the file that is said to load it', () => {
  for (const { peers } of DOORS) {
    for (const peer of peers) {
      if (!('package' in peer) || 'proof' in peer) continue
      const name = peer.package.split('/').at(-1) ?? ''
      expect(read(peer.in), `${peer.in}: ${peer.package}`).toMatch(new RegExp(`['/]${name}['/]`))
      const installed = read(`node_modules/${peer.package}/package.json`)
      expect(JSON.parse(installed)).toMatchObject({ version: versionOf(peer.package) })
    }
  }
})

test('a door whose test is gone, or whose peer says nothing of its source, is noticed', () => {
  const [first] = DOORS
  if (!first) throw new Error('there are no doors')
  const gone = [{ ...first, peers: [{ package: 'no-such-package', as: 'client', in: PAGE }] }]
  expect(() => interopPage(gone)).toThrow('not in package-lock.json')
  const silent = [{ ...first, peers: [{ source: 'None such', in: 'scripts/tool.ts' }] }]
  expect(() => interopPage(silent)).toThrow('no single comment')
})
