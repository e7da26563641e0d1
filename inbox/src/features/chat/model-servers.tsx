import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WireModelServer } from '../../../../src/api/chat/model-servers.ts'
import { modelServersQuery, useRemoveModelServer } from '../../api/model-servers.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { t } from '../../lib/language/t.ts'
import { AddModelServer } from './add-model-server.tsx'

/** For admins: where models come from besides the environment of the server. */
export function ModelServers() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="frame px-3.5 py-2.5"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer text-ink-2">{t('Model servers')}</summary>
      {isOpen && <Servers />}
    </details>
  )
}

function Servers() {
  const { data, error } = useQuery(modelServersQuery)
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-2.5">
      <p className="text-sm text-ink-2">
        {t(
          'Models of these servers are offered to everyone who may chat. Keys are sealed on the server and never shown again.',
        )}
      </p>
      <ErrorMessage error={error} />
      {data && data.servers.length > 0 && (
        <ul className="grid gap-1.5">
          {data.servers.map((server) => (
            <Row key={server.name} server={server} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <AddModelServer onDone={() => setAdding(false)} />
      ) : (
        <button
          type="button"
          className="btn btn-small justify-self-start"
          onClick={() => setAdding(true)}
        >
          {t('Add a server')}
        </button>
      )}
    </div>
  )
}

function Row({ server: { name, url, hasKey } }: { server: WireModelServer }) {
  const remove = useRemoveModelServer(name)
  return (
    <li className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-2">
      <b className="font-medium">{name}</b>
      <span className="min-w-0 flex-1 text-sm wrap-anywhere text-ink-2">
        {url}
        {hasKey ? t(', with a key') : t(', without a key')}
      </span>
      <ConfirmButton
        word={t('Remove')}
        about={name}
        says={t('Its models can no longer be chosen, and its key is erased.')}
        write={remove}
      />
    </li>
  )
}
