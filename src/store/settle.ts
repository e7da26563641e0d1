import type { Plan } from './plan.ts'

/** Tells everybody what a committed plan did for them. */
export function settle({ outcomes }: Plan): void {
  for (const outcome of outcomes) {
    if ('applied' in outcome) outcome.entry.resolve(outcome.applied)
    else outcome.entry.reject(outcome.error)
  }
}
