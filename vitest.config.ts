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
    setupFiles: ["test/no-fsync.ts"],
    // Test files leave no trace in modules, so a worker may take one after the other without loading all again.
    isolate: false,
    // One worker for each processor: much of a test is waiting for servers that it started.
    maxWorkers: "100%",
  },
})
