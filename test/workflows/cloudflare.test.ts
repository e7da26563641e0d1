import { cloudflareContract } from './cloudflare-harness.ts'
import { testEngine } from './engine.tests.ts'

testEngine(import.meta.filename, cloudflareContract)
