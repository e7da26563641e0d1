import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { promise } from '../../support/promise.ts'
import { startWorker } from '../../support/workerd.ts'
import { openCloud } from './cloud.ts'
import { type ExpenseCase, expenseCases, restartCase } from './expense-cases.ts'

const ENTRY = path.join(import.meta.dirname, 'worker.ts')
const TIMEOUT = 240_000

let cloud: Awaited<ReturnType<typeof openCloud>> | undefined
const ends = new Map<ExpenseCase, Promise<void>>()

beforeAll(async () => {
  const opened = await openCloud({
    tellsWaiting: true,
    // No webhook reaches this Worker, and after the last of these a look comes after an hour.
    looks: Array.from({ length: 100 }, () => '1s'),
    start: (folder, env) =>
      startWorker(ENTRY, {
        node: true,
        env,
        entrypoints: ['ExpenseWorkflow'],
        objects: { classes: ['ExpenseAgent'], disk: path.join(folder, 'objects') },
      }),
  })
  cloud = opened
  for (const [index, one] of expenseCases.entries()) ends.set(one, one.run(opened, `e${index}`))
  await Promise.allSettled(ends.values())
  ends.set(restartCase, restartCase.run(opened, 'restart'))
  await Promise.allSettled(ends.values())
}, TIMEOUT)
afterAll(() => cloud?.close(), TIMEOUT)

promise.each(
  [
    'CF-5',
    'CF-6',
    'CF-7',
    'CF-8',
    'CF-9',
    'CF-10',
    'CF-11',
    'CF-13',
    'CF-14',
    'CF-15',
    'CF-16',
    'CF-42',
    'CS-FLOW-3',
    'CS-FLOW-5',
    'CS-FLOW-6',
  ],
  'an agent of Cloudflare in workerd',
  [...expenseCases, restartCase].map((one): [string, ExpenseCase] => [one.name, one]),
  (_, one) => ends.get(one),
)
