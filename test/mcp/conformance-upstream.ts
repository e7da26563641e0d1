import { setTimeout as pause } from 'node:timers/promises'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CompleteRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'

/*
 * What the conformance suite of the protocol wants a server to offer, in the suite's words. Names
 * lack their `test_`: that is the alias this server has at `/mcp`.
 */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (said: string) => ({ type: 'text' as const, text: said })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const said = (words: string) => ({ content: [text(words)] })
const user = 'user' as const

const server = new McpServer(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { logging: {}, completions: {}, resources: { subscribe: true } } },
)

function addTools(): void {
  const plain = {
    simple_text: said('This is a simple text response for testing.'),
    image_content: { content: [image] },
    audio_content: { content: [{ type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }] },
    embedded_resource: {
      content: [
        {
          type: 'resource' as const,
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    },
    multiple_content_types: {
      content: [
        text('Multiple content types test:'),
        image,
        {
          type: 'resource' as const,
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    },
  }
  for (const [name, result] of Object.entries(plain)) {
    server.registerTool(name, { description: `Answers for ${name}.` }, () => result)
  }
  server.registerTool('error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool('tool_with_logging', { description: 'Logs.' }, async () => {
    for (const data of [
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ]) {
      await server.sendLoggingMessage({ level: 'info', data })
      await pause(50)
    }
    return said('logged')
  })
  server.registerTool('tool_with_progress', { description: 'Progresses.' }, async (extra) => {
    const progressToken = extra._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 }
        await extra.sendNotification({ method: 'notifications/progress', params })
      }
      await pause(50)
    }
    return said('progressed')
  })
  // For 2026-07-28: nothing of this log may reach a client that did not ask for one.
  server.registerTool('logging_tool', { description: 'Logs.' }, async () => {
    await server.sendLoggingMessage({ level: 'info', data: 'Nobody asked for this' })
    return said('logged')
  })
  server.registerTool('trigger_tool_change', { description: 'Changes tools.' }, () => {
    server.sendToolListChanged()
    return said('changed')
  })
  server.registerTool('trigger_prompt_change', { description: 'Changes prompts.' }, () => {
    server.sendPromptListChanged()
    return said('changed')
  })
  server.registerTool('reconnection', { description: 'Takes a moment.' }, async () => {
    await pause(100)
    return said('reconnected')
  })
}

function addQuestions(): void {
  server.registerTool(
    'sampling',
    { description: 'Samples.', inputSchema: { prompt: z.string() } },
    async ({ prompt }) => {
      const { content } = await server.server.createMessage({
        messages: [{ role: user, content: text(prompt) }],
        maxTokens: 100,
      })
      return said(`LLM response: ${'text' in content ? content.text : ''}`)
    },
  )
  const asks = (name: string, message: string, properties: object, required: string[] = []) =>
    server.registerTool(name, { description: 'Asks.' }, async () => {
      const requestedSchema = { type: 'object' as const, properties: properties as never, required }
      const { action, content } = await server.server.elicitInput({ message, requestedSchema })
      return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    })
  server.registerTool(
    'elicitation',
    { description: 'Asks.', inputSchema: { message: z.string() } },
    async ({ message }) => {
      const { action, content } = await server.server.elicitInput({
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      })
      return said(`User response: action: ${action}, content: ${JSON.stringify(content)}`)
    },
  )
  asks('streaming_elicitation', 'Please say something', { something: { type: 'string' } })
  asks('elicitation_sep1034_defaults', 'Please look at the defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  })
  const titled = (words: string) =>
    ['First', 'Second', 'Third'].map((nth, at) => ({
      const: `value${at + 1}`,
      title: `${nth} ${words}`,
    }))
  const options = ['option1', 'option2', 'option3']
  asks('elicitation_sep1330_enums', 'Please choose', {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  })
}

function addShelf(): void {
  const plain = { description: 'A text.', mimeType: 'text/plain' }
  const textual = (uri: URL, words: string) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: words }],
  })
  server.registerResource('static-text', 'test://static-text', plain, (uri) =>
    textual(uri, 'This is the content of the static text resource.'),
  )
  server.registerResource('watched-resource', 'test://watched-resource', plain, (uri) =>
    textual(uri, 'Watched.'),
  )
  const picture = { description: 'A picture.', mimeType: 'image/png' }
  server.registerResource('static-binary', 'test://static-binary', picture, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { description: 'By id.' }, (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }))
  server.registerPrompt('simple_prompt', { description: 'Simple.' }, () => ({
    messages: [{ role: user, content: text('This is a simple prompt for testing.') }],
  }))
  const two = { arg1: z.string().describe('First'), arg2: z.string().describe('Second') }
  server.registerPrompt(
    'prompt_with_arguments',
    { description: 'Filled in.', argsSchema: two },
    ({ arg1, arg2 }) => ({
      messages: [
        { role: user, content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) },
      ],
    }),
  )
  server.registerPrompt(
    'prompt_with_embedded_resource',
    { description: 'Embedded.', argsSchema: { resourceUri: z.string() } },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: user,
          content: {
            type: 'resource',
            resource: {
              uri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        { role: user, content: text('Please process the embedded resource above.') },
      ],
    }),
  )
  server.registerPrompt('prompt_with_image', { description: 'Pictured.' }, () => ({
    messages: [
      { role: user, content: image },
      { role: user, content: text('Please analyze the image above.') },
    ],
  }))
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}))
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}))
  server.server.setRequestHandler(SetLevelRequestSchema, () => ({}))
  server.server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
}

addTools()
addQuestions()
addShelf()
await server.connect(new StdioServerTransport())
