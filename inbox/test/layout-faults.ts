import type { Page } from 'playwright-core'

/**
 * What a person would call broken, as text: content wider than the screen, text that is cut off without
 * a sign of it, a choice that shows nothing of it, scrolling into blank space, and controls that something else covers.
 */
export async function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK = 2
    const EDGE = 4
    const faults: string[] = []
    const nameOf = (element: Element) => {
      const words = element.getAttribute('aria-label') ?? element.textContent ?? ''
      const kind = element.tagName.toLowerCase()
      return `${kind} "${words.trim().replace(/\s+/g, ' ').slice(0, 40)}"`
    }
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    /** For screen readers only: one pixel, by design, at this size at least. */
    const readers = new Map<Element, boolean>()
    const isForReaders = (element: Element | null): boolean => {
      if (element === null) return false
      const known = readers.get(element)
      if (known !== undefined) return known
      const { position, width, overflowX } = getComputedStyle(element)
      const isDot = position === 'absolute' && width === '1px' && overflowX === 'hidden'
      const is = isDot || isForReaders(element.parentElement)
      readers.set(element, is)
      return is
    }
    const all = [...document.body.querySelectorAll<HTMLElement>('*')].filter(isShown)
    const shown = new Set<Element>(all)

    const wide = document.documentElement.scrollWidth - innerWidth
    if (wide > 0) faults.push(`the page is ${wide} px too wide`)

    for (const element of all) {
      if (isForReaders(element)) continue
      const style = getComputedStyle(element)
      const lostX = element.scrollWidth - element.clientWidth
      const lostY = element.scrollHeight - element.clientHeight
      const hidesX = style.overflowX === 'hidden' || style.overflowX === 'clip'
      const hidesY = style.overflowY === 'hidden' || style.overflowY === 'clip'
      const saysSo = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      const holdsText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      )
      if (holdsText && !saysSo && ((hidesX && lostX > SLACK) || (hidesY && lostY > SLACK))) {
        faults.push(`${nameOf(element)} is cut off by ${Math.max(lostX, lostY)} px`)
      }
      const scrolls = style.overflowY === 'auto' || style.overflowY === 'scroll'
      // A field for text scrolls with what is typed into it.
      const isField = element.tagName === 'TEXTAREA'
      if (scrolls && !isField && lostY > SLACK) faults.push(...blankEnd(element))
    }

    const pen = document.createElement('canvas').getContext('2d')
    for (const select of all.filter((element) => element instanceof HTMLSelectElement)) {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select)
      if (pen === null) break
      pen.font = font
      const words = select.selectedOptions[0]?.text ?? ''
      const room =
        select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      // Long names end where the field does; its first word has to be there.
      const wanted = Math.min(pen.measureText(words).width, 64)
      if (room < wanted) faults.push(`${nameOf(select)} has ${Math.round(room)} px for its text`)
    }

    /** Where the last thing to see in a scrolling box ends, compared with where scrolling ends. */
    function blankEnd(box: HTMLElement): string[] {
      const top = box.getBoundingClientRect().top - box.scrollTop
      let end = 0
      for (const inside of box.querySelectorAll('*')) {
        if (!shown.has(inside) || isForReaders(inside)) continue
        const isLeaf = inside.childElementCount === 0 || inside.matches('svg, select')
        if (isLeaf) end = Math.max(end, inside.getBoundingClientRect().bottom - top)
      }
      const blank = Math.round(box.scrollHeight - end)
      return blank > 120 ? [`${nameOf(box)} scrolls ${blank} px into nothing`] : []
    }

    const CONTROLS = 'button, a[href], input, select, textarea, summary'
    for (const control of all.filter((element) => element.matches(CONTROLS))) {
      if (isForReaders(control) || control.closest('[inert]') !== null) continue
      // A link of several lines has a box for each of them.
      for (const box of control.getClientRects()) {
        const over = pointsOf(box).map(([x, y]) => coverOf(control, x, y))
        const hit = over.find((one) => one !== undefined)
        if (hit !== undefined) faults.push(`${nameOf(control)} is covered by ${nameOf(hit)}`)
      }
    }

    /** The middle, and near the middle of each edge: controls overlap at their edges first. */
    function pointsOf({
      left,
      top,
      width,
      height,
    }: DOMRect): readonly (readonly [number, number])[] {
      if (width < 2 || height < 2) return []
      const [x, y] = [left + width / 2, top + height / 2]
      if (width < 24 || height < 20) return [[x, y]]
      return [
        [x, y],
        [left + EDGE, y],
        [left + width - EDGE, y],
        [x, top + EDGE],
        [x, top + height - EDGE],
      ]
    }

    function coverOf(control: Element, x: number, y: number): Element | undefined {
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return undefined
      const hit = document.elementFromPoint(x, y)
      if (hit === null || control.contains(hit) || hit.contains(control)) return undefined
      // A label over its own box, and a box over the label it stands in, are one control.
      const label = hit.closest('label')
      if (label !== null && (label === control.closest('label') || label.control === control))
        return undefined
      return isScrolledAway(control, x, y) || isBarOver(hit, control) ? undefined : hit
    }

    /** Outside the visible part of a box that scrolls. */
    function isScrolledAway(control: Element, x: number, y: number): boolean {
      for (let box = control.parentElement; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).overflowY === 'visible') continue
        const { left, right, top, bottom } = box.getBoundingClientRect()
        if (x <= left || x >= right || y <= top || y >= bottom) return true
      }
      return false
    }

    /** What stays while content scrolls under it covers what is about to scroll out. */
    function isBarOver(hit: Element, control: Element): boolean {
      for (let over: Element | null = hit; over !== null; over = over.parentElement) {
        if (over.contains(control)) break
        const { position } = getComputedStyle(over)
        if (position === 'sticky' || position === 'fixed') return true
      }
      for (let box = control.parentElement; box !== null; box = box.parentElement) {
        if (box.contains(hit)) return false
        const { overflowY } = getComputedStyle(box)
        const scrolls = overflowY === 'auto' || overflowY === 'scroll'
        if (scrolls && box.scrollHeight > box.clientHeight) return true
      }
      return false
    }

    return [...new Set(faults)]
  })
}
