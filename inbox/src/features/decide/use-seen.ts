import { type RefObject, useEffect, useRef, useState } from 'react'
import { addStretch, firstUnseen, isCovered, type Stretch } from './coverage.ts'

export interface Seen {
  /** All of the block was on screen since this content was there. */
  readonly all: boolean
  /** Brings the next part that was not on screen into view. */
  readonly showNext: () => void
}

/** Watches which parts of `block` pass through `scroller`, anew for each `content`. */
export function useSeen(
  scroller: RefObject<HTMLElement | null>,
  block: RefObject<HTMLElement | null>,
  content: string,
): Seen {
  const [done, setDone] = useState<string>()
  const seen = useRef<readonly Stretch[]>([])

  useEffect(() => {
    const box = scroller.current
    const inner = block.current
    if (box === null || inner === null) return
    seen.current = []
    let size = { width: 0, height: 0 }
    let views = ''
    const look = () => {
      if (document.visibilityState !== 'visible') return
      const { top: boxTop, bottom: boxBottom } = box.getBoundingClientRect()
      const { top, width, height } = inner.getBoundingClientRect()
      if (height === 0) return
      // Another layout is another picture: what was seen of the old one says nothing.
      const isSame =
        Math.abs(width - size.width) <= 1 &&
        Math.abs(height - size.height) <= 1 &&
        viewsIn(inner) === views
      if (!isSame) seen.current = []
      size = { width, height }
      views = viewsIn(inner)
      const stretch: Stretch = [Math.max(0, boxTop - top), Math.min(height, boxBottom - top)]
      seen.current = addStretch(seen.current, stretch)
      if (isCovered(seen.current, height)) setDone(content)
    }
    const frame = requestAnimationFrame(look)
    const sizes = new ResizeObserver(look)
    sizes.observe(box)
    sizes.observe(inner)
    box.addEventListener('scroll', look, { passive: true })
    document.addEventListener('visibilitychange', look)
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      box.removeEventListener('scroll', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [scroller, block, content])

  const showNext = () => {
    const box = scroller.current
    const inner = block.current
    if (box === null || inner === null) return
    const start =
      box.scrollTop + inner.getBoundingClientRect().top - box.getBoundingClientRect().top
    // A little of what was seen stays, so that the eye finds its line again.
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const behavior = calm ? 'auto' : 'smooth'
    box.scrollTo({ top: start + firstUnseen(seen.current) - 48, behavior })
  }
  return { all: done === content, showNext }
}

/** How its arguments are shown: half of one view and half of another are not the whole of either. */
function viewsIn(block: HTMLElement): string {
  return [...block.querySelectorAll<HTMLElement>('[data-view]')]
    .map(({ dataset }) => dataset.view)
    .join()
}
