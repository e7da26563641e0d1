import { TriangleAlert } from 'lucide-react'
import { visibleText } from '../../../lib/text/invisible-characters.ts'
import { PAD } from './argument-name.tsx'

/** One thing that a statement or a command would do. */
export function Deed({ text }: { text: string }) {
  return (
    <p
      data-deed=""
      className={`flex items-start gap-1.5 border-t border-warn-line bg-warn-soft py-1.5 text-xs leading-5 text-warn ${PAD}`}
    >
      <TriangleAlert size={14} className="mt-[3px] flex-none" aria-hidden="true" />
      <span className="wrap-anywhere">{visibleText(text)}</span>
    </p>
  )
}
