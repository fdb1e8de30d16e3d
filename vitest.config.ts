import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Sources are tested as they are: `#crypto` points at the native module in src. */
export const alias = { "#crypto": fileURLToPath(new URL("./src/core/crypto-native.ts", import.meta.url)) }

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.slow.test.ts", "test/interop/**"],
    testTimeout: 30_000,
  },
})
