import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const src = `${pathToFileURL(path.resolve(import.meta.dirname, '../../src')).href}/`

export interface FilesRun {
  /**
   * The files of src in which a function ran, in each of several rounds of `work`. Sweeps and
   * heartbeats tick in some of the rounds only, so they do not count.
   */
  in(work: () => Promise<unknown>, setUp?: () => Promise<unknown>): Promise<string[]>
}

const ROUNDS = 7

/** V8 counts the calls of each function, in this process. */
export async function filesRun(): Promise<FilesRun> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')

  async function once(work: () => Promise<unknown>): Promise<string[]> {
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    return result
      .filter(({ url, functions }) => url.startsWith(src) && functions.some(isRun))
      .map(({ url }) => url.slice(src.length))
  }

  return {
    async in(work, setUp = async () => {}) {
      const rounds: Set<string>[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        await setUp()
        rounds.push(new Set(await once(work)))
      }
      const [first = new Set<string>(), ...rest] = rounds
      return [...first].filter((file) => rest.every((files) => files.has(file))).sort()
    },
  }
}

function isRun({ ranges }: { readonly ranges: readonly { readonly count: number }[] }): boolean {
  return (ranges[0]?.count ?? 0) > 0
}
