import { type Contracts, PEOPLE } from '../contract.ts'
import { Insights } from '../insights.ts'
import { about, whole } from '../schema.ts'

/** Numbers over a long time. */
export const insightContracts = {
  'GET /v1/insights': {
    tag: 'Approvals',
    who: PEOPLE,
    summary: 'How many calls asked, how they ended and how long people took.',
    query: { days: about(whole({ min: 1, max: 366 }), '30 unless set.') },
    answer: 'Counters by day, tool, agent, group, rule and hour; of people, the own ones.',
    responses: { 200: Insights },
  },
} as const satisfies Contracts
