import { expect, test, vi } from 'vitest'
import { CountersignError } from '../../base/errors.ts'
import { asking } from '../../testing/commands.ts'
import { type Commit, createFlusher } from './flusher.ts'
import type { Entry } from './plan.ts'

function accept(entries: readonly Entry[]): void {
  for (const { resolve } of entries) resolve({ approval: {} as never, joined: false, events: [] })
}

const submitMany = (flusher: ReturnType<typeof createFlusher>, count: number) =>
  Array.from({ length: count }, (_, index) => flusher.submit(`id-${index}`, asking()))

test('commits what came together in batches of at most 64', async () => {
  const sizes: number[] = []
  const flusher = createFlusher(async (entries) => {
    sizes.push(entries.length)
    accept(entries)
    return []
  })
  await Promise.all(submitMany(flusher, 150))
  expect(sizes).toEqual([64, 64, 22])
})

test('lets the event loop run between batches', async () => {
  let turns = 0
  const flusher = createFlusher(async (entries) => {
    accept(entries)
    return []
  })
  const turn = setInterval(() => {
    turns += 1
  }, 0)
  const end = performance.now() + 60
  const caller = async () => {
    while (performance.now() < end) await flusher.submit('id', asking())
  }
  await Promise.all([caller(), caller(), caller()])
  clearInterval(turn)
  expect(turns).toBeGreaterThan(10)
})

test('a command that came meanwhile is committed before the next of many interludes', async () => {
  const order: string[] = []
  const flusher = createFlusher(async (entries) => {
    order.push('command')
    accept(entries)
    return []
  })
  const piece = () =>
    flusher.between(async () => {
      order.push('piece')
    })
  let asked: Promise<unknown> = Promise.resolve()
  // As erasing does it: each piece is put on its way when the one before it is done.
  for (let nth = 0; nth < 5; nth += 1) {
    await piece()
    const turn = new Promise(setImmediate)
    if (nth === 1) asked = flusher.submit('id', asking())
    await turn
  }
  await asked
  expect(order).toEqual(['piece', 'piece', 'command', 'piece', 'piece', 'piece'])
})

test('runs a failed batch again one by one, and only the culprit fails', async () => {
  const seen: [number, boolean][] = []
  const commit: Commit = async (entries, alone) => {
    seen.push([entries.length, alone])
    if (entries.some(({ id }) => id === 'id-1')) throw new Error('constraint')
    accept(entries)
    return []
  }
  const results = await Promise.allSettled(submitMany(createFlusher(commit), 3))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { code: 'internal', message: /constraint/ } })
  expect(seen).toEqual([
    [3, false],
    [1, true],
    [1, true],
    [1, true],
    [1, true],
    [1, true],
  ])
})

test('does not try one by one what concerns all commands', async () => {
  let commits = 0
  const flusher = createFlusher(async () => {
    commits += 1
    throw new CountersignError('store_busy', 'locked')
  })
  const results = await Promise.allSettled(submitMany(flusher, 5))
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(commits).toBe(1)
})

test('puts back first what must wait for the batch before', async () => {
  const order: string[][] = []
  let first = true
  const flusher = createFlusher(async (entries) => {
    order.push(entries.map(({ id }) => id))
    const again = first ? entries.slice(1) : []
    first = false
    accept(entries.filter((entry) => !again.includes(entry)))
    return again
  })
  await Promise.all(submitMany(flusher, 3))
  expect(order).toEqual([
    ['id-0', 'id-1', 'id-2'],
    ['id-1', 'id-2'],
  ])
})

test('closes after everything before is settled, and takes nothing more', async () => {
  let settled = 0
  const flusher = createFlusher(async (entries) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    accept(entries)
    return []
  })
  for (const one of submitMany(flusher, 3)) one.then(() => (settled += 1))
  await flusher.close()
  await Promise.resolve()
  expect(settled).toBe(3)
  await expect(flusher.submit('id', asking())).rejects.toMatchObject({ code: 'store_closed' })
})

test('puts half of many commands behind the other half', async () => {
  const ways: [string, number][] = []
  const commit = (way: string) => async (entries: readonly Entry[]) => {
    ways.push([way, entries.length])
    await new Promise((resolve) => setTimeout(resolve, 5))
    accept(entries)
    return []
  }
  const flusher = createFlusher(commit('first'), commit('behind'))
  await Promise.all(submitMany(flusher, 40))
  expect(ways).toEqual([
    ['first', 20],
    ['behind', 20],
  ])
})

test('keeps what cannot be put behind for the next batch, and its order', async () => {
  const order: string[][] = []
  const flusher = createFlusher(
    async (entries) => {
      order.push(entries.map(({ id }) => id))
      await new Promise((resolve) => setTimeout(resolve, 5))
      accept(entries)
      return []
    },
    () => undefined,
  )
  const all = submitMany(flusher, 2)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...all, flusher.submit('id-2', asking()), flusher.submit('id-3', asking())])
  expect(order).toEqual([
    ['id-0', 'id-1'],
    ['id-2', 'id-3'],
  ])
})

test('a failed batch and the one behind it are tried again one after the other', async () => {
  const tried: string[] = []
  let isFirst = true
  const alone = async ([entry]: readonly Entry[]) => {
    tried.push(`${entry?.id} begins`)
    await new Promise((resolve) => setTimeout(resolve, 2))
    tried.push(`${entry?.id} ends`)
    if (entry) accept([entry])
    return []
  }
  const flusher = createFlusher(
    (entries, isAlone) => {
      if (isAlone) return alone(entries)
      isFirst = false
      return new Promise((_, reject) => setTimeout(() => reject(new Error('lost')), 10))
    },
    async () => {
      throw new Error('lost')
    },
  )
  const first = flusher.submit('first', asking())
  await vi.waitUntil(() => !isFirst)
  await Promise.all([first, flusher.submit('second', asking())])
  expect(tried).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
})

test('a batch that cannot be put behind another, because that throws, has its own turn', async () => {
  const commit = async (entries: readonly Entry[]) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    accept(entries)
    return []
  }
  const flusher = createFlusher(commit, () => {
    throw new Error('it makes no sense')
  })
  const settled = await Promise.allSettled(submitMany(flusher, 40))
  expect(settled.every(({ status }) => status === 'fulfilled')).toBe(true)
})
