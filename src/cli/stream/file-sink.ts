import { type FileHandle, open, rename } from 'node:fs/promises'
import type { StreamedLine } from './next-batch.ts'

/** Takes lines, and resolves once they are delivered. */
export type Sink = (lines: readonly StreamedLine[]) => Promise<void>

const NEWLINE = 0x0a
const CHUNK = 65_536

/**
 * Appends to a file and waits for the disk. The file is opened for each batch, so that another
 * program may move it. Nothing is ever removed: a file that grew too large is named by its time.
 */
export function fileSink(file: string, rotateAt: number): Sink {
  return async (lines) => {
    const text = lines.map((line) => `${line.text}\n`).join('')
    const bytes = Buffer.from(text)
    const isFull = await withFile(file, async (handle) => {
      const size = await wholeLines(handle)
      if (size > 0 && size + bytes.length > rotateAt) return true
      await append(handle, bytes)
      return false
    })
    if (!isFull) return
    await rename(file, await freeName(`${file}.${new Date().toISOString().replaceAll(':', '-')}`))
    await withFile(file, (handle) => append(handle, bytes))
  }
}

/** Taken before anything is moved there: a clock that stands still or goes back names a file twice. */
async function freeName(name: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}.${n}`
    try {
      await (await open(free, 'wx', 0o600)).close()
      return free
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function withFile<T>(file: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, 'a+', 0o600)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

async function append(handle: FileHandle, bytes: Buffer): Promise<void> {
  await handle.appendFile(bytes)
  await handle.sync()
}

/** A process that was killed may have left part of a line: it is written again, so that goes. */
async function wholeLines(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - CHUNK)
    const { buffer } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin)
    const at = buffer.lastIndexOf(NEWLINE)
    if (at >= 0 || begin === 0) {
      const whole = begin + at + 1
      if (whole < size) await handle.truncate(whole)
      return whole
    }
    end = begin
  }
  return size
}
