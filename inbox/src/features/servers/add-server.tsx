import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { TestedServer } from '../../../../src/api/servers.ts'
import { useTestServer } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { headersOf, type ServerWish, serverYaml, type ToolWish } from './server-yaml.ts'

const EMPTY: ServerWish = {
  alias: '',
  kind: 'url',
  url: '',
  command: '',
  header: '',
  variable: '',
}

/** Writes the lines a policy file needs for a server. An admin applies the file, as always. */
export function AddServer({ onDone }: { onDone: () => void }) {
  const [wish, setWish] = useState(EMPTY)
  const [tools, setTools] = useState<readonly ToolWish[]>([])
  const test = useTestServer()
  const set = (some: Partial<ServerWish>) => {
    setWish({ ...wish, ...some })
    if ('url' in some || 'kind' in some) setTools([])
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const { alias, url } = wish
    test.mutate(
      { alias, url, headers: headersOf(wish) },
      { onSuccess: (found) => setTools(wishesOf(found)) },
    )
  }
  const isReady = wish.alias !== '' && (wish.kind === 'url' ? wish.url : wish.command) !== ''
  return (
    <section aria-label="Add a server" className="frame grid gap-3 px-4 py-3.5">
      <h2 className="text-md">Add a server</h2>
      <form className="grid gap-2.5" aria-label="How it is reached" onSubmit={onSubmit}>
        <div className="grid grid-cols-2 gap-2.5 max-desk:grid-cols-1">
          <Field
            label="Alias"
            hint="files"
            value={wish.alias}
            onValue={(alias) => set({ alias })}
          />
          <label className="grid gap-1 text-xs text-ink-3">
            Reached by
            <select
              className="field"
              value={wish.kind}
              onChange={({ target }) => set({ kind: target.value === 'url' ? 'url' : 'command' })}
            >
              <option value="url">an address</option>
              <option value="command">a command on the server’s machine</option>
            </select>
          </label>
          {wish.kind === 'url' ? (
            <Field
              label="Address"
              hint="https://mcp.example.com/mcp"
              value={wish.url}
              onValue={(url) => set({ url })}
            />
          ) : (
            <Field
              label="Command"
              hint="npx -y @example/server"
              value={wish.command}
              onValue={(command) => set({ command })}
            />
          )}
          <Field
            label="Variable that holds its secret, if it needs one"
            hint="MCP_TOKEN"
            value={wish.variable}
            onValue={(variable) => set({ variable: variable.replaceAll(/\W/g, '') })}
          />
        </div>
        {wish.kind === 'url' ? (
          <span className="flex flex-wrap items-center gap-2">
            <button type="submit" className="btn" disabled={!isReady || test.isPending}>
              Test connection
            </button>
            <span className="text-xs text-ink-3">
              Lists its tools and keeps nothing. Only variables that begin with MCP_ are filled in.
            </span>
          </span>
        ) : (
          <p className="text-xs text-ink-3">
            A command starts once the file that names it is applied; Look again then lists its
            tools.
          </p>
        )}
      </form>
      <ErrorMessage error={test.error} />
      {test.data?.problem !== undefined && <ErrorMessage text={test.data.problem} />}
      {tools.length > 0 && <ToolWishes tools={tools} onTools={setTools} />}
      {isReady && (
        <label className="grid gap-1 text-xs text-ink-3">
          Add these lines to the policy file
          <textarea
            className="field min-h-36 font-mono text-code"
            readOnly
            value={serverYaml(wish, tools)}
            onFocus={({ target }) => target.select()}
          />
        </label>
      )}
      <p className="text-ink-2">
        Nothing changes until the file does: save it, then look at the difference and apply it under{' '}
        <Link href="/policy" className="link">
          Policy
        </Link>
        .
      </p>
      <button type="button" className="btn justify-self-start" onClick={onDone}>
        Close
      </button>
    </section>
  )
}

function wishesOf({ tools }: TestedServer): readonly ToolWish[] {
  return tools.map(({ tool }) => ({ tool, isOffered: true, isAsked: true }))
}

interface FieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onValue: (value: string) => void
}

function Field({ label, hint, value, onValue }: FieldProps) {
  return (
    <label className="grid gap-1 text-xs text-ink-3">
      {label}
      <input
        className="field font-mono text-code"
        placeholder={hint}
        value={value}
        onChange={({ target }) => onValue(target.value)}
      />
    </label>
  )
}

interface ToolWishesProps {
  readonly tools: readonly ToolWish[]
  readonly onTools: (tools: readonly ToolWish[]) => void
}

function ToolWishes({ tools, onTools }: ToolWishesProps) {
  const change = (at: number, some: Partial<ToolWish>) =>
    onTools(tools.map((one, place) => (place === at ? { ...one, ...some } : one)))
  return (
    <ul aria-label="Its tools" className="rounded-md border border-line">
      {tools.map(({ tool, isOffered, isAsked }, at) => (
        <li
          key={tool}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-1.5 last:border-b-0"
        >
          <label className="flex min-h-6 min-w-40 flex-1 items-center gap-2">
            <input
              type="checkbox"
              className="size-4"
              checked={isOffered}
              onChange={({ target }) => change(at, { isOffered: target.checked })}
            />
            <code className="wrap-anywhere">{visibleText(tool)}</code>
          </label>
          <label className="flex min-h-6 items-center gap-2">
            <input
              type="checkbox"
              className="size-4"
              disabled={!isOffered}
              checked={isOffered && isAsked}
              onChange={({ target }) => change(at, { isAsked: target.checked })}
            />
            Approval <span className="sr-only">for {visibleText(tool)}</span>
          </label>
        </li>
      ))}
    </ul>
  )
}
