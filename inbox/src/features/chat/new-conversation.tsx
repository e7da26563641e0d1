import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { WireChatModel } from '../../../../src/api/chat/conversation.ts'
import { useNewConversation } from '../../api/chat.ts'
import { statusQuery } from '../../api/policy.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Logo } from '../../components/logo.tsx'
import { t } from '../../lib/language/t.ts'
import { Composer } from './composer.tsx'
import { keepFirst } from './first-message.ts'
import { ModelPicker } from './model-picker.tsx'
import { ModelServers } from './model-servers.tsx'
import { Examples, OwnTools } from './what-to-try.tsx'

interface NewConversationProps {
  readonly models: readonly WireChatModel[]
  /** Why some are missing. */
  readonly problems: readonly string[]
  readonly isAdmin: boolean
}

export function NewConversation({ models, problems, isAdmin }: NewConversationProps) {
  const [, navigate] = useLocation()
  const begin = useNewConversation()
  const { data: status } = useQuery(statusQuery)
  const [model, setModel] = useState<string>()
  const chosen = model ?? models[0]?.id
  const start = async (text: string) => {
    const { id } = await begin.mutateAsync(chosen)
    keepFirst(id, text)
    navigate(`/chat/${encodeURIComponent(id)}`)
  }
  return (
    <>
      <div className="relative grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] place-items-center overflow-auto p-6 max-desk:place-items-start max-desk:p-4">
        <div className="grid w-[620px] max-w-full grid-cols-[minmax(0,1fr)] gap-4">
          <Logo size={36} />
          <h2 className="text-2xl tracking-tight max-desk:text-xl">{t('What should be done?')}</h2>
          <p className="-mt-2.5 text-md text-ink-2">
            {t(
              'The model may call tools. What your policy wants a person to see asks first, here; what others must review waits until they answer.',
            )}
          </p>
          {status?.demo === true && (
            <Examples
              isBusy={begin.isPending}
              onStart={(text) => void start(text).catch(() => {})}
            />
          )}
          {status?.demo === false && (
            <OwnTools isAdmin={isAdmin} isRehearsal={chosen === 'rehearsal'} />
          )}
          {problems.map((problem) => (
            <p key={problem} className="text-sm text-ink-3">
              {problem}
            </p>
          ))}
          {isAdmin && <ModelServers />}
          <ErrorMessage error={begin.error} />
        </div>
      </div>
      <Composer
        isBusy={begin.isPending}
        onSend={(text) => void start(text).catch(() => {})}
        aside={<ModelPicker models={models} chosen={chosen} onChoose={setModel} />}
      />
    </>
  )
}
