import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import type { ToolWish } from './server-wish.ts'

interface ToolWishesProps {
  readonly tools: readonly ToolWish[]
  readonly onTools: (tools: readonly ToolWish[]) => void
}

/** Which tools are offered, and about which of them people are asked. */
export function ToolWishes({ tools, onTools }: ToolWishesProps) {
  const change = (at: number, some: Partial<ToolWish>) =>
    onTools(tools.map((one, place) => (place === at ? { ...one, ...some } : one)))
  return (
    <ul aria-label={t('Its tools')} className="rounded-md border border-line">
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
            {rich('Approval {tool}', {
              tool: (
                <span className="sr-only">{rich('for {tool}', { tool: visibleText(tool) })}</span>
              ),
            })}
          </label>
        </li>
      ))}
    </ul>
  )
}
