import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import type { Ran, Run } from './contestant.ts'

/** A contestant in a process of its own. */
export interface ContestantProcess {
  readonly pid: number
  run(run: Run): Promise<Ran>
  /** It then ends by itself, together with the servers it started. */
  stop(): void
}

/** `name`: what the module exports. Resolves when it is open. */
export async function startProcess(
  module: string,
  where: string,
  name = 'open',
): Promise<ContestantProcess> {
  const worker = fork(path.join(import.meta.dirname, 'worker.ts'), [module, where, name], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await answer(worker)
  return {
    pid: worker.pid ?? 0,
    run: async (run) => {
      worker.send(run)
      return (await answer(worker)) as Ran
    },
    stop: () => worker.disconnect(),
  }
}

function answer(worker: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (message: unknown) => {
      worker.off('exit', gone)
      const { error } = message as { error?: string }
      if (error === undefined) resolve(message)
      else reject(new Error(error))
    }
    const gone = (code: number | null) => reject(new Error(`a contestant ended with ${code}`))
    worker.once('message', done)
    worker.once('exit', gone)
  })
}
