import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { headFile } from './head.ts'

function newPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-head-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return path.join(folder, 'head.json')
}

const head = (writer: string, seq: number) => ({ writer, seq, hash: `${writer}-${seq}` })

test('remembers the last head of each writer and database', async () => {
  const file = newPath()
  const one = headFile(file)
  const two = headFile(file)
  one.note('db1', head('w1', 1), 10)
  one.note('db1', head('w1', 2), 20)
  await one.flush()
  two.note('db1', head('w2', 7), 30)
  await two.flush()
  two.note('db2', head('w2', 1), 40)
  await two.flush()
  expect(headFile(file).read('db1')).toEqual([head('w2', 7), head('w1', 2)])
  expect(headFile(file).read('db2')).toEqual([head('w2', 1)])
  expect(headFile(file).read('db3')).toBeUndefined()
  expect(readdirSync(path.dirname(file))).toEqual(['head.json'])
})

test('two of one program write into drafts of their own', async () => {
  const file = newPath()
  const drafts = new Set<string>()
  const watcher = watch(path.dirname(file), (_event, name) => {
    if (name?.startsWith('head.json.') && name.endsWith('.tmp')) drafts.add(name)
  })
  onTestFinished(() => watcher.close())
  for (const [index, heads] of [headFile(file), headFile(file)].entries()) {
    heads.note('db', head('w', index + 1), index)
    await heads.flush()
    // One that stood still and lost the lock must not move what the other wrote into place.
    await expect.poll(() => drafts.size).toBe(index + 1)
  }
})

test('writes what was noted by itself, soon', async () => {
  const file = newPath()
  const heads = headFile(file)
  heads.note('db', head('w', 1), 1)
  await expect.poll(() => headFile(file).read('db')).toEqual([head('w', 1)])
})

test('forgets the oldest writers', async () => {
  const heads = headFile(newPath())
  for (let index = 0; index < 70; index += 1) {
    heads.note('db', head(`w${index}`, 1), index)
    await heads.flush()
  }
  const kept = heads.read('db')
  expect(kept).toHaveLength(64)
  expect(kept).toContainEqual(head('w69', 1))
  expect(kept).not.toContainEqual(head('w0', 1))
})

test.each([
  '',
  '{',
  'null',
  '{"version":2,"databases":{}}',
  '{"version":1,"databases":{"db":{"w":1}}}',
])('does not guess what %j could mean', (text) => {
  const file = newPath()
  writeFileSync(file, text)
  expect(headFile(file).read('db')).toBe('unreadable')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a file that let go of a database does not say that it never knew it', async () => {
  const file = headFile(newPath())
  for (let n = 0; n < 16; n += 1) {
    file.note(`database-${n}`, { writer: 'w', seq: 1, hash: 'h' }, n)
    await file.flush()
  }
  expect(file.read('another')).toBeUndefined()
  file.note('database-16', { writer: 'w', seq: 1, hash: 'h' }, 16)
  await file.flush()
  expect(file.read('database-16')).toEqual([{ writer: 'w', seq: 1, hash: 'h' }])
  expect(file.read('database-0')).toBeNull()
})
