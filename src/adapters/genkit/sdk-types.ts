/*
 * As much of Genkit as is looked at. Its own types go through zod 3 for every tool, and a list of
 * tools with different arguments has no type there that can be written down.
 */

/** A tool is an action: a function that describes itself. */
export interface GenkitTool {
  (input: unknown, options?: ToolOptions): Promise<unknown>
  readonly __action: {
    readonly name: string
    readonly description?: string
    readonly actionType?: string
    readonly inputSchema?: unknown
    readonly inputJsonSchema?: unknown
    readonly metadata?: Readonly<Record<string, unknown>>
  }
}

/** What a tool is called with besides its input. */
export interface ToolOptions {
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly resumed?: unknown
  readonly abortSignal?: AbortSignal
}

export interface ToolRequestPart {
  readonly toolRequest: {
    readonly name: string
    readonly ref?: string
    readonly input?: unknown
  }
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface Part {
  readonly toolRequest?: ToolRequestPart['toolRequest']
  readonly toolResponse?: {
    readonly name: string
    readonly ref?: string
    readonly output?: unknown
  }
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface Message {
  readonly role: string
  readonly content: readonly Part[]
}

/** The hooks of one `generate`. */
export interface Hooks {
  generate(
    envelope: unknown,
    context: { readonly abortSignal?: AbortSignal },
    next: (envelope: unknown, context: unknown) => Promise<unknown>,
  ): Promise<unknown>
  model(
    request: { readonly messages: readonly Message[] },
    context: unknown,
    next: (request: unknown, context: unknown) => Promise<unknown>,
  ): Promise<unknown>
  tool(
    request: ToolRequestPart,
    options: ToolOptions,
    next: (request: unknown, options: unknown) => Promise<unknown>,
  ): Promise<unknown>
}
