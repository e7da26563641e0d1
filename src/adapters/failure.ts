import type { Failed } from '../gate/outcome.ts'

/** SDKs tell the model what is thrown. Where that held a secret, the gate's sentence does not. */
export function failureOf({ error, modelMessage: message }: Failed): unknown {
  const said = error instanceof Error ? error.message : String(error)
  return message.includes(said) ? error : new Error(message, { cause: error })
}
