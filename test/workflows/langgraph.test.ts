import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { LANGGRAPH_LEFT_OUT } from './conformance.ts'
import { casesWithout, playCases, playKills } from './engines.ts'
import { type Kill, SOME_KILLS } from './kills.ts'
import { langgraphFiles } from './langgraph-harness.ts'

const WITHOUT = Object.keys(LANGGRAPH_LEFT_OUT)

describe(langgraphFiles.name, () => {
  const played = playCases(langgraphFiles, { without: WITHOUT })
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CS-FLOW-5', 'CF-3', 'CF-4', 'CF-5', 'CF-9'],
    langgraphFiles.name,
    casesWithout(WITHOUT),
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(langgraphFiles, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a process of LangGraph dies by kill -9',
    SOME_KILLS.map((kill): [string, Kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
