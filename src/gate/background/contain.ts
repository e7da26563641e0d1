/** Calls somebody who only listens: whatever goes wrong in there stays in there. */
export function contain(callback: () => unknown): void {
  try {
    Promise.resolve(callback()).catch(() => {})
  } catch {
    // Nothing that listens may change what happens to a call.
  }
}
