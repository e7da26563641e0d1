import type { Json } from '../base/json/json.ts'
import { mask } from '../base/secrets/mask.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

type Fields = Readonly<Record<string, Json | undefined>>

/** What the server says about itself. One line for each event; every value is masked first. */
export interface Log {
  /** What is below is left out by `write`, and need not be put together. Unknown unless set. */
  readonly level?: LogLevel
  write(level: LogLevel, event: string, fields?: Fields): void
}

export interface LogOptions {
  readonly format: 'json' | 'text'
  /** What is below is left out. */
  readonly level: LogLevel
  readonly out: (line: string) => void
  readonly now?: () => Date
}

export function createLog({ format, level, out, now = () => new Date() }: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(level)
  return {
    level,
    write(severity, event, fields = {}) {
      if (LOG_LEVELS.indexOf(severity) < least) return
      const time = now().toISOString()
      const given = Object.entries(shown(fields)).filter(([, value]) => value !== undefined)
      out(
        format === 'json'
          ? oneLine({ time, level: severity, event, ...Object.fromEntries(given) })
          : [
              time,
              severity,
              event,
              ...given.map(([name, value]) => `${name}=${oneLine(value)}`),
            ].join(' '),
      )
    },
  }
}

/** Whether a line of this severity goes anywhere. */
export function isWritten({ level }: Log, severity: LogLevel): boolean {
  return level === undefined || LOG_LEVELS.indexOf(severity) >= LOG_LEVELS.indexOf(level)
}

/** A log that cannot be masked is a log without its values. */
function shown(fields: Fields): Fields {
  try {
    return mask(fields).value
  } catch {
    return { unreadable: true }
  }
}

/** A value cannot begin another line, move a cursor, or reverse the text direction. */
function oneLine(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What is worth knowing of an error, without its stack. */
export function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) }
  const { cause } = error
  return {
    error: error.message,
    name: error.name,
    ...(cause instanceof Error ? { cause: cause.message } : {}),
  }
}
