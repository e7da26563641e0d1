import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const LIST = 'src/store/postgres/migrations/migrations.ts'

/** The command of a release that has one more step of the schema than this one. */
export function nextRelease(step: { readonly sql: string; readonly besideOlder: boolean }): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-next-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['src', 'bin', 'package.json']) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const list = path.join(folder, LIST)
  const next = JSON.stringify({
    ...{ name: 'next', sql: step.sql },
    ...(step.besideOlder ? { besideOlder: true } : {}),
  })
  const text = readFileSync(list, 'utf8').replace(/\n\]\n$/, `\n  ${next},\n]\n`)
  writeFileSync(list, text)
  return path.join(folder, 'bin/countersign.js')
}
