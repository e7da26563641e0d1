/** This file is run for every test file, also where several share a process. */
const LEAVES = Symbol.for('countersign.leaves-with-parent')

if (!(LEAVES in process)) {
  Object.defineProperty(process, LEAVES, { value: true })
  // A test process whose parent was killed would stay, with all that its tests started. The handlers
  // for `exit` take that down.
  process.once('disconnect', () => process.exit(1))
  // One that has done its work is told by a signal, soon followed by one that it cannot hear.
  process.once('SIGTERM', () => {
    process.emit('exit', 0)
    process.kill(process.pid, 'SIGTERM')
  })
}
