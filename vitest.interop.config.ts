import { defineConfig } from "vitest/config"
import { alias } from "./vitest.config.js"

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/interop/**/*.test.ts"],
    testTimeout: 300_000,
    fileParallelism: false,
    globalSetup: ["test/global-setup.ts"],
  },
})
