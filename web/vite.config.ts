import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { messagesPlugin, writeTypes } from './scripts/messages.mjs'
import { offlinePlugin } from './scripts/offline.mjs'
import { preloadPlugin } from './scripts/preload.mjs'

const router = (file: string) =>
  fileURLToPath(new URL(`node_modules/react-router/dist/production/${file}`, import.meta.url))
const ROUTER = [
  { find: /^react-router$/, replacement: router('index.mjs') },
  { find: /^react-router\/dom$/, replacement: router('dom-export.mjs') },
]

const SERVER = process.env['LIBRARY_DEV_SERVER'] ?? 'http://127.0.0.1:8080'

writeTypes()

export default defineConfig(({ command }) => ({
  base: '/library/',
  plugins: [react(), messagesPlugin(), preloadPlugin(), offlinePlugin()],
  resolve: {
    // The package offers its build for development only; the other one lies beside it, without the warnings.
    alias: command === 'build' ? ROUTER : [],
  },
  build: {
    outDir: 'dist',
    assetsDir: 'static',
    manifest: true,
    assetsInlineLimit: 0,
    // The oldest browsers that the screens work in; public/start.js tells anybody with an older one.
    target: ['chrome120', 'edge120', 'firefox124', 'safari17.4'],
    rolldownOptions: {
      output: {
        entryFileNames: 'static/js/[name]-[hash].js',
        // Without names and with a short hash: the first load lists a hundred files. The manifest tells whose they are.
        chunkFileNames: 'static/js/[hash:7].js',
        assetFileNames: 'static/[ext]/[hash:7][extname]',
        codeSplitting: {
          groups: [
            // What starting and signing in need, together with all that it imports: the first load.
            { name: 'base', test: /src\/(main|features\/account\/SignInScreen)\.tsx$/, priority: 2 },
            // What a student's first screen needs: a chunk of its own, or the phone would load what the other screens share.
            {
              name: 'home',
              test: /src\/(app\/NavigationBar|features\/books\/(grid\/(BookGrid|GenreChips)|lists\/Highlights)|ui\/(EmptyState|PageHeader|SearchBox)|lib\/(press|outboxStore))\.tsx?$/,
              priority: 1.5,
            },
            // Few screens draw QR codes.
            { name: 'qr', test: /node_modules\/uqr\/|src\/print\/symbol\.ts$/, priority: 3 },
            // What five chunks or more share beyond that: one chunk, so that going from screen to screen fetches little.
            // The desk's queue stays apart, because students never load it, and so do the choice of a file, which few screens
            // offer, and the streams of events, which the bell loads later.
            {
              name: 'ui',
              minShareCount: 5,
              test: /^(?!.*\/src\/(?:api\/events|counter\/|lib\/outbox|ui\/OutboxState)|.*\/eventsource-parser\/|.*\/FileButton\/)/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  // The scanner's decoder, beside the page.
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        entryFileNames: 'static/js/[name]-[hash].js',
        chunkFileNames: 'static/js/[name]-[hash].js',
        assetFileNames: 'static/[ext]/[name]-[hash][extname]',
      },
    },
  },
  server: {
    proxy: {
      '/library/api': SERVER,
      '/library/covers': SERVER,
    },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 20_000,
  },
}))
