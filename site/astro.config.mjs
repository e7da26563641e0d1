import { readFileSync } from 'node:fs'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import llms from 'starlight-llms-txt'

const { sidebar } = JSON.parse(readFileSync(new URL('generated.json', import.meta.url), 'utf8'))

export default defineConfig({
  // Every address is below this one, on a site of its own and on a Countersign server alike.
  base: '/docs',
  site: process.env.COUNTERSIGN_SITE ?? 'http://localhost',
  trailingSlash: 'always',
  integrations: [
    starlight({
      title: 'Countersign',
      description: "Asks a person before an AI agent's tool call runs.",
      logo: { src: './public/mark.svg' },
      favicon: '/mark.svg',
      customCss: ['./src/styles/site.css'],
      lastUpdated: false,
      pagination: false,
      sidebar,
      plugins: [
        llms({
          projectName: 'Countersign',
          description: "Asks a person before an AI agent's tool call runs.",
          exclude: ['promises', 'threats', 'decisions/**', 'reference/api/**'],
        }),
      ],
    }),
  ],
})
