import { defineConfig } from "vitest/config"
import { alias } from "./vitest.config.js"

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/real/**/*.real.ts"],
    testTimeout: 180_000,
    fileParallelism: false,
    maxConcurrency: 2,
    globalSetup: ["test/real/install.ts"],
  },
})
