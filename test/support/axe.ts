import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What keeps some people from using the page, or the part of it that a selector names. The checks are
 * put into the page once and called there: it holds no frames to collect from.
 */
export async function violationsOf(page: Page, part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async (selector) => {
    const own = globalThis as unknown as { axe: typeof axe }
    const { violations } = await own.axe.run(selector ?? document, { resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  }, part)
}
