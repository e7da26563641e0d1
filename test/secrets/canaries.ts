import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'

/** How far a canary went is told by its name. */
let count = 0
export const canary = (door: string) => `CANARY${++count}-${door}`

/** One canary for each reason to hide a value. */
export const canaries = (door: string): JsonObject => ({
  hidden: { deep: canary(`${door}-path`) },
  marked: { inside: [canary(`${door}-schema`)] },
  password: canary(`${door}-name`),
  list: [
    { api_key: canary(`${door}-item`) },
    { name: 'X-Auth-Token', value: canary(`${door}-pair`) },
  ],
  command: `psql postgres://bo:${canary(`${door}-url`)}@db --token ${canary(`${door}-flag`)}`,
})

/** Everything that anybody but the asker and the tool could read. */
export interface Sinks {
  add(name: string, ...text: unknown[]): void
  find(): string[]
}

export function sinks(): Sinks {
  const texts: [string, string][] = []
  return {
    add(name, ...values) {
      for (const value of values) {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        if (text === undefined || text === '') throw new Error(`${name} holds nothing`)
        texts.push([name, text])
      }
    },
    find: () =>
      texts.flatMap(([name, text]) =>
        [...new Set(text.match(/CANARY\d+-[\w-]+/g))].map((found) => `${name}: ${found}`),
      ),
  }
}

/** Rows of every table but the two that are there to hold calls and results themselves. */
export function databaseText(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true })
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all()
  const rows = tables
    .map(({ name }) => String(name))
    .filter((name) => name !== 'content' && name !== 'results')
    .map((name) => [name, db.prepare(`select * from "${name}"`).all()])
  const held = db.prepare('select * from content').all()
  db.close()
  // If the calls were not even there, finding nothing elsewhere would prove nothing.
  expect(JSON.stringify(held)).toContain('CANARY')
  return JSON.stringify(rows)
}
