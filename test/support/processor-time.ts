/** Milliseconds of the processor since the call, in this process: a busy machine does not make them more. */
export function processorTime(): () => number {
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1_000
  }
}
