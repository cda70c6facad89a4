import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `npm run dev -w packages/console` forwards calls to a gateway on this address. */
const gateway = process.env.GATEWAY || 'http://127.0.0.1:8080'

export default defineConfig({
  base: '/admin/',
  // The gateway replaces this word by a nonce of the response, so that the console may add its style elements.
  html: { cspNonce: '__STYLE_NONCE__' },
  plugins: [react()],
  build: { target: 'es2023', assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: 600 },
  server: { proxy: { '/admin/api': gateway, '/statusz': gateway, '/favicon.ico': gateway } },
})
