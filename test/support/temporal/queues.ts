/** Task queues: tasks wait for workers, and workers for tasks. */
interface Queue {
  readonly tasks: unknown[]
  readonly waiting: Set<() => void>
}

/** A poll without a task ends after this long, and the worker polls again. */
const POLL = 20_000

export function taskQueues() {
  const queues = new Map<string, Queue>()

  function queueOf(name: string): Queue {
    const known = queues.get(name) ?? { tasks: [], waiting: new Set() }
    queues.set(name, known)
    return known
  }

  return {
    push(name: string, task: unknown): void {
      const { tasks, waiting } = queueOf(name)
      tasks.push(task)
      for (const wake of [...waiting]) {
        if (tasks.length > 0) wake()
      }
    },
    /** `take` makes the response of a task, or undefined where the task is no longer one. */
    poll<T, R extends object>(
      name: string,
      gone: AbortSignal,
      take: (task: T) => R | undefined,
    ): Promise<R | object> {
      const { tasks, waiting } = queueOf(name)
      return new Promise((resolve) => {
        const end = setTimeout(() => finish({}), POLL).unref()
        const finish = (response: R | object) => {
          clearTimeout(end)
          waiting.delete(wake)
          resolve(response)
        }
        const wake = () => {
          while (tasks.length > 0) {
            const taken = take(tasks.shift() as T)
            if (taken) return finish(taken)
          }
        }
        gone.addEventListener('abort', () => finish({}), { once: true })
        waiting.add(wake)
        if (gone.aborted) finish({})
        else wake()
      })
    },
  }
}

export type TaskQueues = ReturnType<typeof taskQueues>
