import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { SeedServer } from '../dev/seed-server.ts'
import { barriers } from './browser-page.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()
const ADMIN = 'root@example.com'

async function open(view = {}) {
  const server = await inbox.start({ memory: true })
  await server.person(ADMIN, { roles: ['viewer', 'approver', 'admin'] })
  const at = (running: SeedServer) => `/history/${running.id('transfer')}`
  return { server, page: await inbox.open(at, { email: ADMIN }, view) }
}

promise(
  ['CS-RULES-2'],
  'an admin makes a rule from a call: form and text stay in step, and saving is a draft',
  async () => {
    const { server, page } = await open()
    await page.getByRole('link', { name: 'Make a rule' }).click()
    const text = page.getByLabel('The text of the policy file')
    const sentence = page.getByText('asks when amount is over 10,000').first()
    await sentence.waitFor()
    // The form writes into the text.
    const value = page.getByLabel('Condition 1 of alternative 1, value')
    await value.fill('12000')
    await page.getByText('asks when amount is over 12,000').first().waitFor()
    await expect.poll(() => text.inputValue()).toContain('12000')
    // The text writes into the form.
    await text.fill((await text.inputValue()).replace('12000', '15000'))
    await page.getByText('asks when amount is over 15,000').first().waitFor()
    await expect.poll(() => value.inputValue()).toBe('15000')
    // A mistake is named, and cannot be saved.
    const save = page.getByRole('button', { name: 'Save as draft' })
    const good = await text.inputValue()
    await text.fill(good.replace('decide_by: 1h', 'decide_bye: 1h'))
    await page.getByText(/Line \d+: .*did you mean/).waitFor()
    await expect.poll(() => save.isDisabled()).toBe(true)
    await text.fill(good)
    await page.getByText('asks when amount is over 15,000').first().waitFor()
    await page.getByRole('region', { name: 'Recorded calls' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await save.click()
    await page.getByRole('heading', { name: 'Changed on disk, not active' }).waitFor()
    expect(readFileSync(path.join(server.folder, 'countersign.yaml'), 'utf8')).toBe(good)
    expect(inbox.opened.problems).toEqual([])
  },
  60_000,
)

promise(
  ['CS-RULES-2'],
  'what is typed key by key, refused or taken back stays, and never replaces a file that changed',
  async () => {
    const { server, page } = await open()
    await page.getByRole('link', { name: 'Make a rule' }).click()
    const text = page.getByLabel('The text of the policy file')
    const save = page.getByRole('button', { name: 'Save as draft' })
    await page.getByText('asks when amount is over 10,000').first().waitFor()
    const value = page.getByLabel('Condition 1 of alternative 1, value')
    await value.fill('')
    await value.pressSequentially('1.5')
    await page.getByText('asks when amount is over 1.5').first().waitFor()
    expect(await value.inputValue()).toBe('1.5')
    // Typed and taken back at once: nothing is left to wait for.
    await text.press('End')
    await text.press('x')
    await text.press('Backspace')
    await expect.poll(() => save.isEnabled()).toBe(true)
    await text.press('x')
    await text.press('Backspace')
    await expect.poll(() => save.isEnabled(), { timeout: 5_000 }).toBe(true)
    // A refusal: the form stays, and goes on once it is corrected.
    await page.getByRole('button', { name: 'Ask other people' }).click()
    const people = page.getByLabel('People, by address, one per line')
    await people.fill('ana@example.com\n')
    await page.getByRole('alert').first().waitFor()
    await people.fill('ana@example.com')
    await page.getByText('A yes from ana@example.com').first().waitFor()
    // A mistake while typing does not change which rule the form is about.
    await page.getByLabel(/^An extra rule/).check()
    await page.getByLabel('Name of the rule').waitFor()
    await expect.poll(() => save.isEnabled()).toBe(true)
    const good = await text.inputValue()
    await text.fill(`${good}toolz: {}\n`)
    await page.getByText(/Line \d+: .*toolz/).waitFor()
    await text.fill(good)
    await expect.poll(() => save.isEnabled()).toBe(true)
    const named = page.getByLabel('Name of the rule')
    await expect.poll(() => named.inputValue()).toBe('ask-transfer_money')
    // Another admin wrote the file meanwhile. Neither the first click nor the second replaces it.
    const file = path.join(server.folder, 'countersign.yaml')
    const other = `${readFileSync(file, 'utf8')}# by another admin\n`
    writeFileSync(file, other)
    await expect.poll(() => save.isEnabled()).toBe(true)
    for (let click = 0; click < 2; click += 1) {
      await save.click()
      await page.getByText('is not what was edited').first().waitFor()
      await expect.poll(() => save.isEnabled()).toBe(true)
    }
    expect(readFileSync(file, 'utf8')).toBe(other)
  },
  60_000,
)

promise(
  ['CS-RULES-2'],
  'the page for rules fits a phone, and others do not see it offered',
  async () => {
    const { server, page } = await open({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Make a rule' }).click()
    await page.getByText('asks when amount is over 10,000').first().waitFor()
    expect(await barriers(page)).toEqual([])
    const other = await server.link(`/history/${server.id('transfer')}`, 'bo@example.com')
    await page.goto(other)
    await page.getByRole('heading', { name: /Approve transfer/ }).waitFor()
    expect(await page.getByRole('link', { name: 'Make a rule' }).count()).toBe(0)
  },
  60_000,
)
