export { ruleName } from '../../../../src/api/policy/rule-name.ts'
