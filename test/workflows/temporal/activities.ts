import type { Json, JsonObject } from '../../../src/base/json/json.ts'
import type { StepTool } from '../../../src/workflows/temporal/index.ts'
import type { Writing } from '../bodies.ts'

export interface CaseActivities {
  write(lines: readonly string[]): Promise<void>
}

export function caseActivities(writing: Writing): CaseActivities {
  return {
    async write(lines) {
      for (const line of lines) writing.write(line)
    },
  }
}

/** Takes as long as its call says. */
export function lastingTool({ write }: Writing): StepTool<JsonObject, Json> {
  return {
    name: 'last',
    approval: true,
    async run({ id = null, ms }) {
      write(`last ${String(id)}`)
      await new Promise((resolve) => setTimeout(resolve, Number(ms)))
      write(`lasted ${String(id)}`)
      return { lasted: id }
    },
  }
}
