export { ruleName } from '../../../../src/api/rule-name.ts'
