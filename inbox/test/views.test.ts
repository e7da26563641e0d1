import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { ANA } from '../dev/seed-server.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()
const { open } = inbox

promise(
  ['CS-INBOX-38'],
  'a filter of the inbox is saved under a name, shared as a link, and found by the palette',
  async () => {
    const page = await open('/')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const rows = page.locator('[data-row]')
    await rows.first().waitFor()
    const before = await rows.count()
    await page.getByRole('button', { name: 'Filter and sort' }).click()
    await page.getByRole('menuitem', { name: 'More filters and saved views…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Filters and saved views' })
    await dialog.getByText('Choose a filter first').waitFor()
    const tool = await dialog.getByLabel('Tool').locator('option').nth(1).innerText()
    await dialog.getByLabel('Tool').selectOption(tool)
    await dialog.getByLabel('Save what is shown now').fill('One tool')
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await dialog.getByRole('button', { name: 'Copy a link to One tool' }).click()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(new URL(link).searchParams.get('tool')).toBe(tool)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => rows.count()).toBeLessThan(before)
    const strip = page.locator('[data-filter]')
    expect(await strip.innerText()).toMatch(/\d+ hidden/)
    // A name that an agent chose never reads as one of our words.
    expect(await strip.locator('.from-call').innerText()).toBe(tool)
    await strip.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => rows.count()).toBe(before)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('one tool')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows.count()).toBeLessThan(before)

    // For another person, who has no such view.
    await inbox.opened.close()
    const other = await open(`/${new URL(link).search}`, { email: 'bo@example.com' })
    await other.locator('[data-filter]').getByText(tool).waitFor()
    expect(inbox.opened.problems).toEqual([])
  },
)

promise(
  ['CS-INBOX-38'],
  'a view of History is renamed, follows what is shown, and is deleted, on every machine',
  async () => {
    const server = await inbox.start()
    const ana = await server.person(ANA)
    await ana.send('POST', '/v1/me/views', { name: 'Mails', page: 'history', query: 'q=mail' })
    const page = await open('/history?outcome=denied')
    await page.getByRole('button', { name: 'Views' }).click()
    const dialog = page.getByRole('dialog', { name: 'Saved views' })
    await dialog.getByRole('button', { name: 'Rename Mails' }).click()
    await dialog.getByLabel('New name').fill('Denied')
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await dialog.getByRole('button', { name: 'Change Denied to what is shown now' }).click()
    await dialog.getByRole('button', { name: 'Denied shown now' }).waitFor()
    expect(await ana.send('GET', '/v1/me/views')).toMatchObject({
      views: [{ name: 'Denied', query: 'outcome=denied' }],
    })
    await ana.send('POST', '/v1/me/views', { name: 'Search', page: 'history', query: 'q=mail' })
    await page.reload()
    await page.getByRole('button', { name: 'Views' }).click()
    await dialog.getByRole('button', { name: 'Search', exact: true }).click()
    // The field follows the address, and does not write its own text over it.
    await expect.poll(() => page.getByLabel('Search history').inputValue()).toBe('mail')
    await page.waitForTimeout(400)
    expect(new URL(page.url()).search).toBe('?q=mail')
    await page.getByRole('button', { name: 'Views' }).click()
    await dialog.getByRole('button', { name: 'Delete Denied' }).click()
    await dialog.getByRole('button', { name: 'Delete Denied' }).waitFor({ state: 'detached' })
    expect(inbox.opened.problems).toEqual([])
  },
)
