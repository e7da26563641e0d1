import { type RefObject, useEffect, useState } from 'react'

const SPARE = 6

/** Which rows of one height are on screen, a few more on both sides included. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const [range, setRange] = useState({ from: 0, to: 30 })
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    const measure = () => {
      const from = Math.max(0, Math.floor(box.scrollTop / height) - SPARE)
      const to = Math.ceil((box.scrollTop + box.clientHeight) / height) + SPARE
      setRange((old) => (old.from === from && old.to === to ? old : { from, to }))
    }
    measure()
    const size = new ResizeObserver(measure)
    size.observe(box)
    box.addEventListener('scroll', measure, { passive: true })
    return () => {
      size.disconnect()
      box.removeEventListener('scroll', measure)
    }
  }, [scroller, height])
  return { from: Math.min(range.from, Math.max(0, count - 1)), to: Math.min(range.to, count) }
}
