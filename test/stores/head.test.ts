import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { headFile } from '../../src/store/audit/head.ts'
import { newFolder } from './place.ts'

const WRITERS = 25

/** A process that is ready to note heads. */
async function noting(file: string, name: string) {
  const program = path.join(import.meta.dirname, 'head-process.ts')
  const args = [program, file, name, String(WRITERS)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

test('two processes that write one head file at once lose no head', async () => {
  const folder = newFolder()
  const file = path.join(folder, 'head.json')
  const both = await Promise.all([noting(file, 'a'), noting(file, 'b')])
  const ended = Promise.all(both.map((child) => once(child, 'close')))
  for (const child of both) child.stdin.write('go\n')
  expect((await ended).map(([code]) => code)).toEqual([0, 0])
  const expected = ['a', 'b'].flatMap((name) =>
    Array.from({ length: WRITERS }, (_, n) => ({ writer: `${name}${n}`, seq: 2, hash: 'two' })),
  )
  const found = headFile(file).read('db')
  expect(found).toHaveLength(expected.length)
  expect(found).toEqual(expect.arrayContaining(expected))
  expect(readdirSync(folder)).toEqual(['head.json'])
}, 60_000)

test('the lock of a process that died is taken over', async () => {
  const file = path.join(newFolder(), 'head.json')
  writeFileSync(`${file}.lock`, 'of a process that died')
  utimesSync(`${file}.lock`, 1, 1)
  const heads = headFile(file)
  heads.note('db', { writer: 'w', seq: 1, hash: 'h' }, 1)
  await heads.flush()
  expect(headFile(file).read('db')).toEqual([{ writer: 'w', seq: 1, hash: 'h' }])
  expect(readdirSync(path.dirname(file))).toEqual(['head.json'])
})

test('a head that was noted is never replaced by an older one of the same writer', async () => {
  const file = path.join(newFolder(), 'head.json')
  const [one, two] = [headFile(file), headFile(file)]
  one.note('db', { writer: 'w', seq: 9, hash: 'nine' }, 9)
  await one.flush()
  two.note('db', { writer: 'w', seq: 8, hash: 'eight' }, 8)
  await two.flush()
  expect(headFile(file).read('db')).toEqual([{ writer: 'w', seq: 9, hash: 'nine' }])
})
