import type { Tool } from 'ai'
import type { ToolGate } from '../../gate/tool-gate.ts'

export type ToModelOutput = NonNullable<Tool['toModelOutput']>
type ModelOutput = Awaited<ReturnType<ToModelOutput>>
type Content = Extract<ModelOutput, { type: 'content' }>['value']

/** What the model has to know beside the result of one call, kept apart from the result itself. */
export interface Notes {
  add(toolCallId: string, note: string): void
  of(toolCallId: string): string | undefined
}

// Call ids come from models: without a bound, inventing them would fill the memory.
const MOST_NOTES = 1_000
const notesOfGates = new WeakMap<ToolGate, Map<string, string>>()

/** Of one tool in one run. Applications guard their tools anew for each request, so the gate keeps them. */
export function notesFor(gate: ToolGate, run: string, tool: string): Notes {
  const notes = notesOfGates.get(gate) ?? new Map<string, string>()
  notesOfGates.set(gate, notes)
  const keyOf = (toolCallId: string) => JSON.stringify([run, tool, toolCallId])
  return {
    add(toolCallId, note) {
      const [oldest] = notes.keys()
      if (notes.size >= MOST_NOTES && oldest !== undefined) notes.delete(oldest)
      notes.set(keyOf(toolCallId), note)
    },
    of: (toolCallId) => notes.get(keyOf(toolCallId)),
  }
}

/** What the tool shows the model, with the note of this call in front. */
export function withNotes(own: ToModelOutput | undefined, notes: Notes): ToModelOutput {
  return async (options) => {
    const output = own ? await own(options) : plainOutput(options.output)
    const note = notes.of(options.toolCallId)
    return note === undefined ? output : noted(note, output)
  }
}

/** As the SDK shows the output of a tool that has no way of its own. */
function plainOutput(output: unknown): ModelOutput {
  if (typeof output === 'string') return { type: 'text', value: output }
  const text = JSON.stringify(output)
  return { type: 'json', value: text === undefined ? null : JSON.parse(text) }
}

function noted(note: string, output: ModelOutput): ModelOutput {
  const first: Content[number] = { type: 'text', text: note }
  switch (output.type) {
    case 'text':
      return { type: 'content', value: [first, { type: 'text', text: output.value }] }
    case 'json':
      return {
        type: 'content',
        value: [first, { type: 'text', text: JSON.stringify(output.value) }],
      }
    case 'content':
      return { ...output, value: [first, ...output.value] }
    case 'error-text':
      return { ...output, value: `${note}\n${output.value}` }
    case 'error-json':
      return { type: 'error-text', value: `${note}\n${JSON.stringify(output.value)}` }
    default:
      return output
  }
}
