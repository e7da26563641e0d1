import { blocked } from '../../gate/outcome.ts'
import { read, type Told } from '../stored-result.ts'

export type ToModelOutput = (output: unknown) => unknown

/**
 * What the model reads. The tool's own `toModelOutput` shows every result of the tool, and nothing
 * else: sentences are not its output. Where arguments do not fit, Mastra would quote all of them,
 * secrets too.
 */
export function modelOutput(name: string, own: ToModelOutput | undefined): ToModelOutput {
  const show = own ?? usual
  return async (output) => {
    const found = read(output)
    if (found.is === 'told') return noted(found.told, show)
    if (found.is === 'result' && found.result === output && isMisfit(output)) {
      const reason = /^- (.*)$/m.exec(output.message)?.[1] ?? 'the arguments do not fit'
      return asText(blocked('invalid_call', { tool: name, reason }).modelMessage)
    }
    return show(found.is === 'result' ? found.result : output)
  }
}

function usual(output: unknown): object {
  return typeof output === 'string' ? asText(output) : { type: 'json', value: output ?? null }
}

function asText(value: string): object {
  return { type: 'text', value }
}

/** The sentence, and after it the result as the tool shows it. */
async function noted(told: Told, show: ToModelOutput): Promise<object> {
  const { message } = told
  if (!Object.hasOwn(told, 'result')) return asText(message)
  const shown = await show(told.result)
  const { type, value } = (shown ?? {}) as { readonly type?: unknown; readonly value?: unknown }
  if (type === 'content' && Array.isArray(value)) {
    return { type, value: [{ type: 'text', text: message }, ...value] }
  }
  const plain = type === undefined ? shown : value
  return asText(`${message}\n${typeof plain === 'string' ? plain : JSON.stringify(plain)}`)
}

/** What Mastra gives in place of running a tool whose arguments do not fit its schema. */
interface Misfit {
  readonly error: true
  readonly message: string
  readonly validationErrors: unknown
}

export function isMisfit(output: unknown): output is Misfit {
  const { error, message, validationErrors } = (output ?? {}) as Partial<Misfit>
  return error === true && validationErrors !== undefined && typeof message === 'string'
}
