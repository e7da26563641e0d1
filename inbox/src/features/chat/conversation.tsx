import { t } from '../../lib/language/t.ts'
import './no-eval.ts'
import { useChat } from '@ai-sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import type { ChatTransport, UIMessage } from 'ai'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Me } from '../../../../src/api/approval.ts'
import type { WireChatModel } from '../../../../src/api/chat/conversation.ts'
import {
  chatKeys,
  goOn,
  type LoadedConversation,
  sendMessage as send,
  stopAnswer,
  useConversation,
} from '../../api/chat.ts'
import { errorMessage } from '../../api/errors.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { ApprovalDialog } from './approval-dialog.tsx'
import { Composer } from './composer.tsx'
import { ConversationHead } from './conversation-head.tsx'
import { takeFirst } from './first-message.ts'
import { LostConnection } from './lost-connection.tsx'
import { MessageList } from './message-list.tsx'
import { ModelPicker } from './model-picker.tsx'
import { openQuestions } from './parts.ts'
import { useRecovery } from './use-recovery.ts'

interface ConversationProps {
  readonly id: string
  /** As the list has it: the first message changes it. */
  readonly title: string | undefined
  readonly me: Me
  readonly models: readonly WireChatModel[]
}

export function Conversation(props: ConversationProps) {
  // Once it is here the stream tells what happens in it; fetched again it would seem to be answering
  // elsewhere.
  const [kept, setKept] = useState<LoadedConversation>()
  const { data: fresh, error } = useConversation(props.id, kept === undefined)
  const data = kept ?? fresh
  useEffect(() => {
    if (fresh !== undefined && fresh.state !== 'running') setKept((old) => old ?? fresh)
  }, [fresh])
  if (data === undefined) {
    return error ? (
      <div className="p-6">
        <ErrorMessage error={error} />
      </div>
    ) : (
      <div aria-busy="true" className="flex-1" />
    )
  }
  if (data.state === 'running') {
    return (
      <p role="status" className="m-auto max-w-[52ch] p-6 text-center text-ink-2">
        {t('This conversation is answering in another window. It appears here when that is done.')}
      </p>
    )
  }
  return <Loaded {...props} loaded={data} />
}

function Loaded(props: ConversationProps & { readonly loaded: LoadedConversation }) {
  const { id, me, models, loaded, title = loaded.title } = props
  const queries = useQueryClient()
  const [model, setModel] = useState(loaded.model)
  const chosen = useRef(model)
  chosen.current = model
  const transport = useMemo(() => transportTo(id, () => chosen.current), [id])
  const chat = useChat({ id, messages: loaded.messages, transport })
  const { messages, status, error, sendMessage, regenerate, stop, setMessages, clearError } = chat
  const isBusy = status === 'submitted' || status === 'streaming'
  const [unsent, setUnsent] = useState('')
  const [refused, setRefused] = useState<Error>()
  const isStopped = useRef(false)
  const { recovery, clear } = useRecovery({
    id,
    messages,
    isBusy,
    error,
    onFound(found, text) {
      clearError()
      setMessages(found.messages)
      setUnsent(text ?? '')
      // What others review goes on by itself, unless the person wanted it to stop.
      if (found.state === 'waiting' && !isStopped.current) void sendMessage()
    },
    onRefused(failure) {
      clearError()
      setRefused(failure)
    },
  })
  const isLost = recovery === 'looking' || recovery === 'elsewhere'
  const isQuiet = !isBusy && !isLost
  const begin = () => {
    isStopped.current = false
    setRefused(undefined)
    setUnsent('')
    clear()
  }
  const say = (text: string, messageId?: string) => {
    begin()
    void sendMessage(messageId === undefined ? { text } : { text, messageId })
  }

  // Once: what was typed before this page was here, or what others were asked about.
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    const first = takeFirst(id)
    if (first !== undefined) void sendMessage({ text: first })
    else if (loaded.state === 'waiting') void sendMessage()
  }, [id, loaded.state, sendMessage])

  useEffect(() => {
    if (status !== 'submitted') void queries.invalidateQueries({ queryKey: chatKeys.overview })
  }, [status, queries])

  const failure = refused ?? error
  const questions = isBusy ? openQuestions(messages) : []
  const mine = questions.find(({ level }) => level === 'confirm')
  const onStop = () => {
    isStopped.current = true
    // The server first: it takes open questions back, and then ends the stream.
    void stopAnswer(id).catch(() => stop())
  }
  return (
    <>
      <ConversationHead id={id} title={title} messages={messages} />
      <MessageList
        messages={messages}
        isBusy={isBusy}
        isLost={isLost}
        me={me}
        onEdit={isQuiet ? (messageId, text) => say(text, messageId) : undefined}
        onRetry={
          isQuiet
            ? () => {
                begin()
                void regenerate()
              }
            : undefined
        }
      />
      {!isBusy && <LostConnection recovery={recovery} isStopped={isStopped.current} />}
      {failure && isQuiet && (
        <div className="mx-auto w-full max-w-[808px] px-6 pb-3 max-desk:px-3">
          <ErrorMessage text={errorMessage(failure)} />
        </div>
      )}
      <Composer
        key={unsent}
        first={unsent}
        isBusy={!isQuiet}
        onSend={(text) => say(text)}
        onStop={isBusy ? onStop : undefined}
        aside={<ModelPicker models={models} chosen={model} onChoose={setModel} />}
      />
      {mine && (
        <ApprovalDialog
          key={mine.approval}
          id={mine.approval}
          me={me}
          left={questions.filter(({ level }) => level === 'confirm').length}
        />
      )}
    </>
  )
}

/** Only what a person typed is sent; the server has the rest. */
function transportTo(id: string, model: () => string): ChatTransport<UIMessage> {
  return {
    sendMessages({ messages, messageId, abortSignal, trigger }) {
      const last = messages.at(-1)
      // Nothing was typed: the turn waits for people, and this page waits with it.
      if (last?.role === 'assistant') return goOn(id, abortSignal)
      const text = last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      const replaces = trigger === 'regenerate-message' ? last?.id : messageId
      const body = {
        text,
        id: last?.id ?? '',
        model: model(),
        ...(replaces === undefined ? {} : { replaces }),
      }
      return send(id, body, abortSignal)
    },
    reconnectToStream: async () => null,
  }
}
