import { AGENT_FORMAT } from './promises/agent-format.ts'
import { ATMOSPHERE } from './promises/atmosphere.ts'
import { COUNTERSIGN } from './promises/countersign.ts'
import { SPRING_AI_PLAYGROUND } from './promises/spring-ai-playground.ts'

/**
 * Everything a user can rely on. Tests cite these by id with `promise()`; a test fails when one is
 * uncited. To add one: write its sentence in the file of its source, then the test that keeps it.
 */
export const PROMISES = {
  ...AGENT_FORMAT,
  ...ATMOSPHERE,
  ...SPRING_AI_PLAYGROUND,
  ...COUNTERSIGN,
}

export type PromiseId = keyof typeof PROMISES
