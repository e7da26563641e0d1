import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violationsOf } from './axe.ts'
import { launchBrowser } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser?.close())

test('tests click in a real browser', async () => {
  const page = await browser.newPage()
  const button = `<button onclick="this.textContent = 'clicked'">click</button>`
  await page.goto(`data:text/html,${encodeURIComponent(button)}`)
  await page.getByRole('button').click()
  expect(await page.getByRole('button').textContent()).toBe('clicked')
})

test('a page cannot reach other machines', async () => {
  const page = await browser.newPage()
  await expect(page.goto('http://example.com/')).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
})

test('axe finds what a person could not use', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.setContent('<html lang="en"><title>t</title><main><h1>t</h1><img src="data:,"></main>')
  const found = await violationsOf(page)
  expect(found.map((one) => one.split(':')[0])).toEqual(['image-alt'])
})
