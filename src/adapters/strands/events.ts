/** What a tool says while it runs, for the one that reads it as it comes. */
export interface Events<T> {
  put(event: T): void
  end(): void
  readonly all: AsyncGenerator<T, void, undefined>
}

export function events<T>(): Events<T> {
  const waiting: T[] = []
  let isOver = false
  let wake = () => {}
  async function* all(): AsyncGenerator<T, void, undefined> {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift() as T
      if (isOver) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    put(event) {
      waiting.push(event)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    all: all(),
  }
}
