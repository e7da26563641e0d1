import { TriangleAlert } from 'lucide-react'
import { rich } from '../../lib/language/rich.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

/** The people who are left cannot give the yes that it needs. */
export function Unreachable({ why }: { why: string }) {
  return (
    <p role="status" className="mt-1 flex gap-1.5 text-xs leading-[17px] text-warn">
      <TriangleAlert size={13} className="mt-0.5 flex-none" aria-hidden="true" />
      <span className="wrap-anywhere">
        {rich('Cannot be approved any more: {unreachableWhy}. Add a person or withdraw.', {
          unreachableWhy: visibleText(why),
        })}
      </span>
    </p>
  )
}
