/** What a server of LangGraph threads would keep: one folder per thread, as files. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import type { Result } from './world.ts'

export interface Thread {
  readonly id: string
  readonly workflow: string
  readonly input: JsonObject
}

/** Threads have ids of their users; folders have none of their characters. */
function folderOf(root: string, id: string): string {
  return path.join(root, Buffer.from(id).toString('hex'))
}

function write(file: string, content: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(content))
  renameSync(`${file}.new`, file)
}

function read(file: string): Json | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Json) : undefined
}

export function threadsIn(root: string) {
  const at = (id: string, file: string) => path.join(folderOf(root, id), file)
  let wakes = 0
  return {
    checkpoints: (id: string) => at(id, 'checkpoints'),
    /** The same id again is the thread that exists. */
    add(thread: Thread): void {
      mkdirSync(folderOf(root, thread.id), { recursive: true })
      if (!existsSync(at(thread.id, 'thread'))) write(at(thread.id, 'thread'), thread)
    },
    all: (): Thread[] =>
      readdirSync(root)
        .map((name) => read(path.join(root, name, 'thread')) as unknown as Thread | undefined)
        .filter((thread) => thread !== undefined),
    /** `value`: what it is resumed with; left out, it is woken as by a channel. */
    wake(id: string, value?: Json): void {
      if (!existsSync(folderOf(root, id))) return
      wakes += 1
      write(at(id, `wake-${process.pid}-${wakes}`), value === undefined ? {} : { value })
    },
    /** The oldest wake-up that is not done with, and what ends it. */
    nextWake(id: string): { readonly value?: Json; done(): void } | undefined {
      const [name] = readdirSync(folderOf(root, id)).filter((file) => /^wake-\d+-\d+$/.test(file))
      if (name === undefined) return undefined
      const said = read(at(id, name)) as { readonly value?: Json }
      return { ...said, done: () => renameSync(at(id, name), at(id, `done-${name}`)) }
    },
    end(id: string, result: Result): void {
      if (!existsSync(at(id, 'end'))) write(at(id, 'end'), result)
    },
    result: (id: string): Result | undefined =>
      read(at(id, 'end')) as unknown as Result | undefined,
  }
}
