import { withdrawEnded as endedOf, type ListingGate, type WithdrawnEnded } from '../ended-runs.ts'
import { NAME } from './wake-ups.ts'

/** What stopping needs: `new Lambda({})` of `@aws-sdk/client-lambda`. */
export interface Stopper {
  stopDurableExecution(request: { readonly DurableExecutionArn: string }): Promise<unknown>
}

export interface ExecutionReader {
  getDurableExecution(request: {
    readonly DurableExecutionArn: string
  }): Promise<{ readonly Status?: string | undefined }>
}

/** Stops an execution and withdraws its questions. Lambda tells the handler nothing. */
export async function stopExecution(
  lambda: Stopper,
  gate: ListingGate,
  arn: string,
): Promise<void> {
  await lambda.stopDurableExecution({ DurableExecutionArn: arn })
  await endedOf(NAME, gate, async (execution) => execution === arn)
}

/**
 * Withdraws the questions of executions that were stopped, timed out, failed or finished without
 * them; those of executions that Lambda does not know, or keeps no longer, stay. Call it now and
 * then, and after stopping executions elsewhere.
 */
export function withdrawEnded(lambda: ExecutionReader, gate: ListingGate): Promise<WithdrawnEnded> {
  return endedOf(NAME, gate, async (arn) => {
    try {
      const { Status = '' } = await lambda.getDurableExecution({ DurableExecutionArn: arn })
      return OVER.includes(Status)
    } catch (error) {
      // Forgotten some time after its end, or of another account or region.
      if ((error as Error).name === 'ResourceNotFoundException') return undefined
      throw error
    }
  })
}

const OVER: readonly string[] = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED']
