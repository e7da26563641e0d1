import type { Hooks, Message, Part, ToolOptions, ToolRequestPart } from './sdk-types.ts'

/** What Genkit knows of one call and does not tell its tool. */
export interface CallFacts {
  readonly request: ToolRequestPart['toolRequest']
  readonly signal: AbortSignal | undefined
}

/** Not in JSON, so nothing in a message or in a model's answer can be read as it. */
const FACTS: unique symbol = Symbol('countersign.call')

/** Undefined for a tool that is called without the middleware beside it. */
export function factsOf(options: ToolOptions | undefined): CallFacts | undefined {
  return (options as { readonly [FACTS]?: CallFacts } | undefined)?.[FACTS]
}

/** For `use` of `generate`: tells guarded tools which call they serve. Decides nothing itself. */
export function callMiddleware() {
  return {
    // Genkit keeps the first of a name, and each `guardTools` has its own.
    name: `countersign-${crypto.randomUUID()}`,
    instantiate(): Hooks {
      let signal: AbortSignal | undefined
      return {
        generate(envelope, context, next) {
          signal = context.abortSignal
          return next(envelope, context)
        },
        model: (request, context, next) =>
          next({ ...request, messages: inCallOrder(request.messages) }, context),
        tool(request, options, next) {
          const facts: CallFacts = { request: request.toolRequest, signal }
          return next(request, { ...options, [FACTS]: facts })
        },
      }
    },
  }
}

/** Genkit lists the results of a turn as they come in. The model reads them as it made the calls. */
function inCallOrder(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, place) => {
    const asked = messages[place - 1]?.content
    if (message.role !== 'tool' || asked === undefined) return message
    const places = new Map<string, number>()
    for (const { toolRequest } of asked) {
      if (toolRequest && !places.has(idOf(toolRequest))) places.set(idOf(toolRequest), places.size)
    }
    const placeOf = ({ toolResponse }: Part) =>
      (toolResponse && places.get(idOf(toolResponse))) ?? places.size
    return { ...message, content: message.content.toSorted((a, b) => placeOf(a) - placeOf(b)) }
  })
}

function idOf({ name, ref }: { readonly name: string; readonly ref?: string }): string {
  return JSON.stringify([name, ref ?? null])
}
