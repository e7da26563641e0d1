import type { ClaimAnswer, ResultBody } from '../api/agent.ts'
import { isCountersignError } from '../base/errors.ts'
import { NotStarted } from '../gate/tool.ts'
import { readClaimAnswer } from './answers.ts'
import { isAway, isUnheard, pauseAfter } from './away.ts'
import type { Connection } from './connection.ts'

const ATTEMPTS = 5
const LONGEST_PAUSE = 3_200

/** Pauses before what is told to a server that is away is sent again; false: it was long enough. */
function attempts({ retryFor }: Connection) {
  const began = performance.now()
  let made = 0
  return async (error: unknown): Promise<boolean> => {
    made += 1
    if (made >= ATTEMPTS && performance.now() - began >= retryFor) return false
    await pauseAfter(error, Math.min(200 * 2 ** made, LONGEST_PAUSE))
    return true
  }
}

/**
 * A claim whose answer was lost may have been made: a caller that asks again is told so, and must
 * not start a call whose claim is no longer held.
 */
export async function spend(
  connection: Connection,
  claim: () => Promise<ClaimAnswer>,
): Promise<{ readonly claimed: ClaimAnswer; readonly sent: number }> {
  const again = attempts(connection)
  let isDoubtful = false
  for (;;) {
    const sent = performance.now()
    try {
      return { claimed: readClaimAnswer(await claim()), sent }
    } catch (error) {
      if (isDoubtful && isCountersignError(error, 'already_claimed')) {
        throw new NotStarted('the answer to its claim was lost')
      }
      isDoubtful ||= !isUnheard(error)
      if (!isAway(error) || !(await again(error))) throw error
    }
  }
}

/** Whether the server knows. A result that is not JSON is left out; how it ended counts all the same. */
export async function tell(
  connection: Connection,
  post: (body: ResultBody) => Promise<unknown>,
  report: ResultBody,
): Promise<boolean> {
  const { claim, outcome } = report
  const again = attempts(connection)
  let body = report
  for (;;) {
    try {
      await post(body)
      return true
    } catch (error) {
      const hasResult = body.result !== undefined
      if (isAway(error) ? !(await again(error)) : !hasResult) return false
      if (!isAway(error)) body = { claim, outcome, drop: true }
    }
  }
}
