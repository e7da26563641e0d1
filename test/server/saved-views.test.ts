import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SavedView, SavedViewList } from '../../src/api/history/saved-views.ts'
import { createSavedViews } from '../../src/server/saved-views/saved-views.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { promise } from '../support/promise.ts'
import { type Running, running, type Sender } from './harness.ts'

const VIEW = { name: 'High risk', page: 'history', query: 'risk=L4%2CL5' } as const

const list = async ({ send }: Running, as: Sender) =>
  ((await send('/v1/me/views', { as })).body as SavedViewList).views

promise(
  ['CS-INBOX-38'],
  'a view is kept per person: saved, renamed, changed, deleted, and out of reach of others',
  async () => {
    const world = running()
    const { send, person } = world
    const ana = await person('ana@example.com', ['viewer'])
    const bo = await person('bo@example.com', ['admin'])
    const saved = (await send('/v1/me/views', { as: ana, body: VIEW })).body as SavedView
    expect(saved).toMatchObject(VIEW)
    expect(await list(world, await person('ana@example.com', ['viewer']))).toEqual([saved])
    expect(await list(world, bo)).toEqual([])

    const at = `/v1/me/views/${saved.id}`
    for (const method of ['POST', 'DELETE']) {
      const body = method === 'POST' ? { body: { name: 'Mine now' } } : {}
      expect((await send(at, { as: bo, method, ...body })).status).toBe(404)
    }
    await send(at, { as: ana, body: { name: ' Night shift ' } })
    await send(at, { as: ana, body: { query: 'agent=bot' } })
    expect(await list(world, ana)).toEqual([{ ...saved, name: 'Night shift', query: 'agent=bot' }])
    expect((await send(at, { as: ana, method: 'DELETE' })).status).toBe(204)
    expect((await send(at, { as: ana, method: 'DELETE' })).status).toBe(404)
    expect(await list(world, ana)).toEqual([])
  },
)

test('one name names one view of a page, and a person has at most 50', async () => {
  const world = running()
  const ana = await world.person('ana@example.com', ['viewer'])
  const save = (body: object) => world.send('/v1/me/views', { as: ana, body })
  await save(VIEW)
  expect((await save({ ...VIEW, name: 'high RISK ' })).at('error.code')).toBe('invalid_value')
  expect((await save({ ...VIEW, name: '  ' })).at('error.code')).toBe('invalid_value')
  expect((await save({ ...VIEW, page: 'inbox' })).status).toBe(201)
  for (let at = 0; at < 48; at += 1)
    expect((await save({ ...VIEW, name: `${at}` })).status).toBe(201)
  expect((await save({ ...VIEW, name: 'one more' })).at('error.code')).toBe('usage')
  expect((await save({ ...VIEW, name: 'x'.repeat(61) })).status).toBe(400)
  expect((await save({ ...VIEW, query: 'x'.repeat(1_001) })).status).toBe(400)
})

test('a person who is removed leaves no view for the next one with their address', async () => {
  const world = running()
  const { send, person } = world
  const admin = await person('root@example.com', ['admin'])
  const ana = await person('ana@example.com', ['viewer'])
  await send('/v1/me/views', { as: ana, body: VIEW })
  const { people } = (await send('/v1/people', { as: admin })).body as {
    people: { id: string; email: string }[]
  }
  const { id } = people.find(({ email }) => email === 'ana@example.com') ?? { id: '' }
  expect((await send(`/v1/people/${id}`, { as: admin, method: 'DELETE' })).status).toBe(200)
  expect(await list(world, await person('ana@example.com', ['viewer']))).toEqual([])
})

test('views that two pages save at the same moment are both kept, on disk as well', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-views-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = await openSqlite(path.join(folder, 'views.db'))
  onTestFinished(() => store.close())
  const views = createSavedViews(store.records)
  const ana = { issuer: 'local', subject: 'ana@example.com' }
  await Promise.all(['a', 'b', 'c'].map((name) => views.add(ana, { ...VIEW, name })))
  expect((await views.of(ana)).map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c'])
})
