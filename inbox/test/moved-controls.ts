import type { Page } from 'playwright-core'

/** Under the pointer after a first click, these are the way back. */
const WAYS_BACK = ['Keep', 'Keep blocked', 'Go back', 'Cancel']

/**
 * Clicks what opens a second step, once for each name, and says where something else to press then
 * stands under the pointer: the second click of a double click would press it.
 */
export async function movedControls(page: Page, ready: () => Promise<void>): Promise<string[]> {
  const moved: string[] = []
  const tried = new Set<string>()
  await ready()
  const steps = page.locator('main').getByRole('button', { name: '…' })
  for (let which = 0; which < (await steps.count()); which += 1) {
    const step = steps.nth(which)
    const before = await step.innerText()
    // Rows of a table have the same buttons, each with the name of its row after it.
    const [word = ''] = before.split('…')
    if (tried.has(word) || !(await step.isEnabled())) continue
    tried.add(word)
    await step.scrollIntoViewIfNeeded()
    const box = await step.boundingBox()
    if (box === null) continue
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.click(x, y)
    const under = await page.evaluate(
      ([x, y]) =>
        document
          .elementFromPoint(x, y)
          ?.closest<HTMLElement>('button:enabled:not([aria-disabled="true"]), a[href]')?.innerText,
      [x, y] as const,
    )
    const isSame = under === undefined || under === before || WAYS_BACK.includes(under)
    if (!isSame) moved.push(`after a click on ${before}: ${under}`)
    await page.keyboard.press('Escape')
    await page.reload()
    await ready()
  }
  return moved
}
