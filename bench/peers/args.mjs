export const ARGS = { amount: 18_400, currency: 'USD', to: 'Northwind', memo: 'invoice 2026-117' }
export const RESULT = { receipt: 'r-1', amount: ARGS.amount }
