import { appendFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import type { StepTool } from '../../src/workflows/guard-step.ts'
import type { Writing } from './bodies.ts'

export function writerTo(file: string): Writing {
  return { write: (line) => appendFileSync(file, `${line}\n`) }
}

/** Appends to the log, so that another process can count how often it really ran. */
export function tools(
  { write }: Writing,
  inTool: (args: JsonObject) => Promise<void> = async () => {},
): {
  readonly pay: StepTool<JsonObject, Json>
  readonly break: StepTool<JsonObject, Json>
} {
  return {
    pay: {
      name: 'pay',
      approval: true,
      async run(args) {
        write(`pay ${String(args.id)} ${String(args.amount)}`)
        await inTool(args)
        return { paid: args.amount ?? null }
      },
    },
    break: {
      name: 'break',
      approval: true,
      run(args) {
        write(`break ${String(args.id)}`)
        throw new Error('the bank is closed')
      },
    },
  }
}
