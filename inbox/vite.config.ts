import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), tailwindcss()],
  experimental: {
    // The server may be mounted below a path: it rewrites the page, and files refer to each other.
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // All of them know light-dark(), so every colour stays written once.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // Every file by its own address: the page's rules allow no data: but for images.
    assetsInlineLimit: 0,
    // The names of what each later part needs would be a kilobyte of the first load, to save one round
    // trip when a page is opened for the first time.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed) => needed.filter((name) => name.endsWith('.css')),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What the page needs at once is one file: it packs better than a dozen, and what is
        // loaded later shares it. Icons, and the small parts that several later pages share, are one
        // file each: as a dozen files they would be a dozen names in the first load.
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'] },
            { name: 'icons', test: /lucide-react/ },
            { name: 'parts', test: /inbox\/src\/(?:api|components)\// },
          ],
        },
      },
    },
  },
})
