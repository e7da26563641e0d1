/** VoltAgent, without the lists of models that it fetches from the internet outside of production. */
const before = process.env.NODE_ENV
process.env.NODE_ENV = 'production'
export const { Agent, createTool, createToolkit } = await import('@voltagent/core')
if (before === undefined) delete process.env.NODE_ENV
else process.env.NODE_ENV = before
