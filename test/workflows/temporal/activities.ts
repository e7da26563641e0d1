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
