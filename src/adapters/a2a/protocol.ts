/* What A2A 1.0 calls these, as far as the gate looks at it: the SDK of the application fits. */

export interface A2aPart {
  readonly content?:
    | { readonly $case: 'text'; readonly value: string }
    | { readonly $case: 'url'; readonly value: string }
    | { readonly $case: 'raw'; readonly value: Uint8Array }
    // biome-ignore lint/suspicious/noExplicitAny: as the SDK has it
    | { readonly $case: 'data'; readonly value: any }
    | undefined
  readonly filename: string
  readonly mediaType: string
  // biome-ignore lint/suspicious/noExplicitAny: as the SDK has it
  readonly metadata: { [key: string]: any } | undefined
}

export interface A2aMessage {
  readonly messageId: string
  readonly role: number
  readonly parts: readonly A2aPart[]
  // biome-ignore lint/suspicious/noExplicitAny: as the SDK has it
  readonly metadata: { [key: string]: any } | undefined
  readonly extensions: readonly string[]
  readonly referenceTaskIds: readonly string[]
}

export interface A2aTask {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: number } | undefined
  readonly artifacts: readonly unknown[]
  readonly history: readonly A2aMessage[]
  // biome-ignore lint/suspicious/noExplicitAny: as the SDK has it
  readonly metadata: { [key: string]: any } | undefined
}

export interface A2aRequest {
  readonly taskId: string
  readonly contextId: string
  readonly userMessage: A2aMessage
  readonly task?: A2aTask | undefined
}

/** `TaskState` and `Role` of the protocol. */
export const STATE = {
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  rejected: 7,
  authRequired: 8,
}
export const ROLE = { user: 1, agent: 2 }
