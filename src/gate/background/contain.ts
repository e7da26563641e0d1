/** Calls a listener: an error in it stays in it. */
export function contain(callback: () => unknown): void {
  try {
    Promise.resolve(callback()).catch(() => {})
  } catch {
    // Nothing that listens may change what happens to a call.
  }
}
