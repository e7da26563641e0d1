import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { start } from './started.ts'

promise(
  ['CS-HA-1'],
  'a command that reaches the database of a running server by a link voids nothing',
  async () => {
    const project = folder({ 'countersign.yaml': 'version: 1\n' })
    const elsewhere = folder()
    await start(project)
    const file = path.join(project, '.countersign/approvals.db')
    symlinkSync(file, path.join(elsewhere, 'link.db'))
    const made = await countersign(
      ['token', 'create', '--agent', 'bot', '--db', 'sqlite:link.db', '--json'],
      { cwd: elsewhere },
    )
    expect(made).toMatchObject({ code: 0 })
    const db = new DatabaseSync(file, { readOnly: true })
    const found = db.prepare('SELECT reason FROM quarantines').all()
    db.close()
    expect(found).toEqual([])
    expect(existsSync(path.join(elsewhere, 'head.json'))).toBe(false)
  },
)
