import type { UIMessage } from 'ai'
import { useEffect, useRef, useState } from 'react'
import { Refused } from '../../../../src/api/client.ts'
import { type LoadedConversation, readConversation } from '../../api/chat.ts'
import { ModelError } from '../../api/errors.ts'
import { isUnsettled } from './parts.ts'
import { unsentText } from './unsent-text.ts'

const PAUSE_MS = 1_000

/** `looking`: the server does not answer. `elsewhere`: it does, and the turn is still under way there. */
export type Recovery = 'none' | 'looking' | 'elsewhere' | 'told' | 'unsent'

interface Chat {
  readonly id: string
  readonly messages: readonly UIMessage[]
  readonly isBusy: boolean
  readonly error: Error | undefined
  /** What the server has on record takes the place of what the page saw last. */
  readonly onFound: (found: LoadedConversation, unsent: string | undefined) => void
  readonly onRefused: (error: Refused) => void
}

/**
 * A stream that ended before its calls did tells nothing about them. Only the server knows whether a
 * call ran, so the page asks until it gets an answer, and shows that.
 */
export function useRecovery(chat: Chat) {
  const [recovery, setRecovery] = useState<Recovery>('none')
  const now = useRef(chat)
  now.current = chat
  const looking = useRef<AbortController>(undefined)
  const wasBusy = useRef(false)
  const { isBusy } = chat
  useEffect(() => {
    const { messages, error } = now.current
    const hasEnded = wasBusy.current && !isBusy
    wasBusy.current = isBusy
    if (hasEnded && isLost(error, messages)) {
      looking.current?.abort()
      looking.current = new AbortController()
      void look(looking.current.signal)
    }

    async function look(signal: AbortSignal): Promise<void> {
      setRecovery('looking')
      for (;;) {
        await pause()
        if (signal.aborted) return
        const found = await readConversation(now.current.id).catch((failure: unknown) => failure)
        if (signal.aborted) return
        if (found instanceof Refused) {
          setRecovery('none')
          return now.current.onRefused(found)
        }
        if (found instanceof Error || found === undefined) setRecovery('looking')
        else if ((found as LoadedConversation).state === 'running') setRecovery('elsewhere')
        else return finish(found as LoadedConversation)
      }
    }

    function finish(found: LoadedConversation): void {
      const unsent = unsentText(now.current.messages, found.messages)
      setRecovery(unsent === undefined ? 'told' : 'unsent')
      now.current.onFound(found, unsent)
    }
  }, [isBusy])
  useEffect(() => () => looking.current?.abort(), [])
  return { recovery, clear: () => setRecovery('none') }
}

/** A no of the server and a failure of the model are answers; everything else is silence. */
function isLost(error: Error | undefined, messages: readonly UIMessage[]): boolean {
  if (error instanceof Refused) return false
  return (error !== undefined && !(error instanceof ModelError)) || isUnsettled(messages)
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
