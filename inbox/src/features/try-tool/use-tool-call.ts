import { useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../api/errors.ts'
import type { Json } from '../../lib/arguments/values.ts'
import { type ClientAnswer, connectMcp, type McpClient, type ToolResult } from './mcp-client.ts'

export type Trying =
  | { readonly kind: 'idle' }
  | { readonly kind: 'calling'; readonly waits: string }
  | {
      readonly kind: 'asked'
      readonly message: string
      readonly answer: (action: ClientAnswer) => void
    }
  | { readonly kind: 'done'; readonly result: ToolResult }
  | { readonly kind: 'failed'; readonly problem: string }

/** One call at a time, over a session that lives as long as the panel. */
export function useToolCall(server: string, tool: string) {
  const [state, setState] = useState<Trying>({ kind: 'idle' })
  const client = useRef<Promise<McpClient>>(undefined)
  const running = useRef<AbortController>(undefined)
  useEffect(
    () => () => {
      running.current?.abort()
      client.current?.then((one) => one.close()).catch(() => {})
      client.current = undefined
    },
    [],
  )
  const call = async (args: Json) => {
    const stop = new AbortController()
    running.current = stop
    const waiting = (waits: string) => setState({ kind: 'calling', waits })
    waiting('')
    try {
      client.current ??= connectMcp(server)
      const connected = await client.current
      const result = await connected.call(
        `${server}_${tool}`,
        args,
        {
          onProgress: (message) =>
            setState((now) => (now.kind === 'asked' ? now : { kind: 'calling', waits: message })),
          onAsked: (message, answer) =>
            setState({
              kind: 'asked',
              message,
              answer(action) {
                answer(action)
                waiting('')
              },
            }),
          onAskedOver: () => waiting(''),
        },
        stop.signal,
      )
      setState({ kind: 'done', result })
    } catch (cause) {
      // A session that broke is not used again.
      client.current = undefined
      if (stop.signal.aborted) setState({ kind: 'idle' })
      else setState({ kind: 'failed', problem: problemOf(cause) })
    }
  }
  return { state, call, cancel: () => running.current?.abort() }
}

/** What a server answers in place of a result is its own sentence. */
function problemOf(cause: unknown): string {
  return cause instanceof Error && cause.constructor === Error ? cause.message : errorMessage(cause)
}
