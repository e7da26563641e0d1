import { t } from '../../lib/language/t.ts'
import type { ServerWish } from './server-wish.ts'

interface ReachedByProps {
  readonly wish: ServerWish
  readonly onWish: (some: Partial<ServerWish>) => void
}

/** How a server is reached, and the name of the secret it needs. */
export function ReachedBy({ wish, onWish }: ReachedByProps) {
  return (
    <div className="grid grid-cols-2 gap-2.5 max-desk:grid-cols-1">
      <Field
        label={t('Alias')}
        hint="files"
        value={wish.alias}
        onValue={(alias) => onWish({ alias: alias.trim() })}
      />
      <label className="grid gap-1 text-xs text-ink-3">
        {t('Reached by')}
        <select
          className="field"
          value={wish.kind}
          onChange={({ target }) => onWish({ kind: target.value === 'url' ? 'url' : 'command' })}
        >
          <option value="url">{t('an address')}</option>
          <option value="command">{t('a command on the server’s machine')}</option>
        </select>
      </label>
      {wish.kind === 'url' ? (
        <Field
          label={t('Address')}
          hint="https://mcp.example.com/mcp"
          value={wish.url}
          onValue={(url) => onWish({ url })}
        />
      ) : (
        <Field
          label={t('Command')}
          hint="npx -y @example/server"
          value={wish.command}
          onValue={(command) => onWish({ command })}
        />
      )}
      <Field
        label={t('Variable that holds its secret, if it needs one')}
        hint="MCP_TOKEN"
        value={wish.variable}
        onValue={(variable) => onWish({ variable: variable.replaceAll(/\W/g, '') })}
      />
      {wish.kind === 'url' && wish.variable !== '' && (
        <Field
          label={t('Header that carries it')}
          hint="authorization"
          value={wish.header}
          onValue={(header) => onWish({ header: header.replaceAll(/[^\w-]/g, '') })}
        />
      )}
    </div>
  )
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
