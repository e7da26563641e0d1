import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databasePlace, leftBehind, placeWords } from './database.ts'

function folders() {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'countersign-place-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const [home, project] = [path.join(base, 'home'), path.join(base, 'project')]
  for (const one of [home, project]) mkdirSync(path.join(one, '.countersign'), { recursive: true })
  const fileIn = (folder: string) => path.join(folder, '.countersign', 'approvals.db')
  return {
    env: { HOME: home },
    cwd: project,
    old: fileIn(home),
    own: fileIn(project),
    init: () => writeFileSync(path.join(project, 'countersign.yaml'), 'version: 1\n'),
  }
}

test('a policy moves the default place, and what is left in the old one is named', () => {
  const { env, cwd, old, own, init } = folders()
  expect(leftBehind(undefined, { cwd, env })).toBeUndefined()
  writeFileSync(old, '')
  expect(placeWords(databasePlace(undefined, { cwd, env }))).toBe(old)
  expect(leftBehind(undefined, { cwd, env })).toBeUndefined()
  init()
  expect(placeWords(databasePlace(undefined, { cwd, env }))).toBe(own)
  expect(leftBehind(undefined, { cwd, env })).toBe(old)
  // A choice is no accident, and a database that is there was used before.
  expect(leftBehind(`sqlite:${own}`, { cwd, env })).toBeUndefined()
  expect(leftBehind(undefined, { cwd, env: { ...env, COUNTERSIGN_DB: 'sqlite:x.db' } })).toBe(
    undefined,
  )
  writeFileSync(own, '')
  expect(leftBehind(undefined, { cwd, env })).toBeUndefined()
})

test('a place is named without its user and password', () => {
  const { env, cwd } = folders()
  const words = (db: string) => placeWords(databasePlace(db, { cwd, env }))
  expect(words('postgres://ana:secret@db.example:6000/approvals?sslmode=require')).toBe(
    'Postgres, db.example:6000/approvals',
  )
  expect(words('postgresql:///approvals?host=%2Fvar%2Frun')).not.toContain('secret')
})
