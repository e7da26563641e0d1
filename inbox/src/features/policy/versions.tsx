import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { PolicyVersions } from '../../../../src/api/policy/versions.ts'
import { useRollBack, versionQuery, versionsQuery } from '../../api/policy.ts'
import { Chip } from '../../components/chip.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DiffLines } from '../../components/diff-lines.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { nameOf } from '../../components/person.tsx'
import { changesAround } from '../../lib/arguments/changes-around.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'

type Version = PolicyVersions['versions'][number]

/** What was in force and when, who applied it, and the way back as a draft. For admins. */
export function Versions() {
  const { data, error } = useQuery(versionsQuery)
  const [open, setOpen] = useState<string>()
  if (error) return <ErrorMessage error={error} />
  if (data === undefined || data.versions.length === 0) return null
  return (
    <section className="frame" aria-labelledby="versions">
      <h2 id="versions" className="flex justify-between border-b border-line px-4 py-2.5 text-sm">
        {rich('Versions {versions}', {
          versions: <span className="font-medium text-ink-3">{data.versions.length}</span>,
        })}
      </h2>
      <ul>
        {data.versions.map((version) => (
          <li key={version.id} className="border-b border-line px-4 py-2 last:border-b-0">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <History size={14} className="flex-none text-ink-3" aria-hidden="true" />
              <span className="min-w-0 flex-1 basis-52 wrap-anywhere">
                <code>{version.id.slice(0, 12)}</code> {saysOf(version)}
                <span className="block text-xs text-ink-3">{clock(version.at, serverNow())}</span>
              </span>
              {version.active && <Chip tone="good">{t('In force')}</Chip>}
              <button
                type="button"
                className="btn btn-small"
                aria-expanded={open === version.id}
                onClick={() => setOpen(open === version.id ? undefined : version.id)}
              >
                {open === version.id ? t('Close') : t('Compare')}
              </button>
            </div>
            {open === version.id && <Compared id={version.id} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

function saysOf({ by, loaded }: Version): string {
  const who = by === undefined ? t('the operator') : nameOf(by)
  return loaded ? t('loaded by {who}', { who }) : t('applied by {who}', { who })
}

/** The version beside the file on disk: what going back would change. */
function Compared({ id }: { id: string }) {
  const { data, error } = useQuery(versionQuery(id))
  const text = data?.files.find(({ role }) => role === 'owner')?.text
  const lines = useMemo(
    () => (data === undefined || text === undefined ? [] : changesAround(data.disk, text)),
    [data, text],
  )
  if (error) return <ErrorMessage error={error} />
  if (data === undefined) return <p className="py-2 text-ink-2">{t('Loading the version.')}</p>
  if (text === undefined)
    return <p className="py-2 text-ink-2">{t('It had no file of the owner.')}</p>
  if (lines.length === 0) {
    return (
      <p className="py-2 text-ink-2">{t('The file on disk says the same, to the character.')}</p>
    )
  }
  return (
    <div className="grid gap-2 pt-2">
      <p className="text-xs text-ink-3">{t('What the file on disk would become:')}</p>
      <pre className="rounded-md border border-line bg-surface px-2 py-1 font-mono text-code leading-5">
        <DiffLines lines={lines} className="" />
      </pre>
      <span>
        <RollBack text={text} base={data.base} id={id} />
      </span>
    </div>
  )
}

function RollBack({ text, base, id }: { text: string; base: string; id: string }) {
  const write = useRollBack(text, base)
  return (
    <ConfirmButton
      word={t('Roll back')}
      about={t('to {value}', { value: id.slice(0, 12) })}
      says={t(
        'Writes this version into the policy file, as a draft. Nothing comes into force until it is applied; governance files stay as they are.',
      )}
      keep={t('Go back')}
      write={write}
    />
  )
}
