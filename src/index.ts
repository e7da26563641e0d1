export { CountersignError, type ErrorCode, isCountersignError } from './base/errors.ts'
