import type { Saboteur } from '../saboteur.ts'

const streams = { tests: ['test/operate/audit-stream.test.ts'] } as const

/** The record, passed on to a file or a collector. */
export const STREAM_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a stream goes on before its lines were delivered',
    file: 'src/cli/commands/audit/audit-stream.ts',
    before: 'await sink(batch.lines)\n        writeCursor(file, batch.cursor)',
    after: 'writeCursor(file, batch.cursor)\n        await sink(batch.lines)',
    caughtBy: streams,
  },
  {
    name: 'a stream leaves part of a line behind',
    file: 'src/cli/stream/file-sink.ts',
    before: 'if (whole < size) await handle.truncate(whole)',
    after: 'if (whole < 0) await handle.truncate(whole)',
    caughtBy: streams,
  },
  {
    name: 'a stream goes on after a record that was rewritten',
    file: 'src/cli/stream/next-batch.ts',
    before: 'if (found === last?.hash) return',
    after: "if (found !== '') return",
    caughtBy: streams,
  },
  {
    name: 'a stream goes on after a record that was cut back',
    file: 'src/cli/stream/next-batch.ts',
    before: 'if (writer === undefined) return',
    after: "if (writer !== '') return",
    caughtBy: streams,
  },
  {
    name: 'a collector that was gone counts as one that took everything',
    file: 'src/cli/stream/syslog-sink.ts',
    before: 'if (isTaken) resolve()',
    after: 'if (isTaken || !weEnded) resolve()',
    caughtBy: streams,
  },
  {
    name: 'a file that is moved aside takes the place of another',
    file: 'src/cli/stream/file-sink.ts',
    before: "open(free, 'wx', 0o600)",
    after: "open(free, 'w', 0o600)",
    caughtBy: streams,
  },
]
