import type { AgentInputItem, CallModelInputFilter } from '@openai/agents'

/**
 * For `callModelInputFilter`: the model reads the results of one turn in the order of its calls. The
 * SDK appends each when it is there, so what waited for a person stands behind what ran at once.
 */
export const inCallOrder: CallModelInputFilter<unknown> = ({ modelData }) => {
  const input: AgentInputItem[] = []
  let results: Result[] = []
  const places = new Map<string, number>()
  const put = () => {
    input.push(...results.toSorted((one, two) => placeOf(one, places) - placeOf(two, places)))
    results = []
  }
  for (const item of modelData.input) {
    if (item.type === 'function_call_result') {
      results.push(item)
      continue
    }
    put()
    if (item.type === 'function_call') places.set(item.callId, places.size)
    input.push(item)
  }
  put()
  return { ...modelData, input }
}

type Result = Extract<AgentInputItem, { type: 'function_call_result' }>

/** Results of calls that are not in the conversation any more stay where they are, behind the others. */
function placeOf({ callId }: Result, places: ReadonlyMap<string, number>): number {
  return places.get(callId) ?? places.size
}
