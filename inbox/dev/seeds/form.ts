/** A call of a workflow whose approver fills in a form with every kind of field. */
import type { SeedCall } from '../seed-server.ts'

const FORM = {
  type: 'object',
  title: 'Release of the deposit',
  description: 'The rest is paid back to the customer.',
  required: ['amount', 'account', 'notify'],
  properties: {
    amount: {
      type: 'integer',
      title: 'Amount to release',
      description: 'In euros. Computed by Countersign.',
      minimum: 1,
      maximum: 500,
    },
    account: {
      title: 'Account',
      oneOf: [
        { const: 'main', title: 'Main account' },
        { const: 'savings', title: 'Savings' },
      ],
    },
    notify: { type: 'boolean', title: 'Tell the customer?' },
    tags: { type: 'array', title: 'Tags', items: { enum: ['damage', 'late', 'other'] } },
    reference: { type: 'string', title: 'Reference', pattern: '^R-[0-9]+$' },
    country: {
      title: 'Country',
      enum: ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'IT', 'NL'],
    },
    address: {
      type: 'object',
      title: 'Send the receipt to',
      properties: {
        street: { type: 'string', title: 'Street' },
        city: { type: 'string', title: 'City' },
      },
    },
    comment: { type: 'string', title: 'Comment', maxLength: 400 },
    extra: { title: 'Anything else', type: 'object', additionalProperties: true },
  },
}

export const FORM_CALL: SeedCall = {
  tool: 'refund',
  run: 'openworkflow:0b1c-4711',
  args: { invoice: 'i-2231', deposit: 500 },
  says: 'The flat was handed back.',
  form: FORM,
  workflow: {
    name: 'deposit-release',
    step: 'release',
    done: ['inspect the flat', 'collect invoices'],
    next: ['pay', 'mail the receipt'],
  },
}
