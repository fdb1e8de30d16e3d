import { defineConfig } from "vitest/config"
import { alias } from "./vitest.config.js"

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/**/*.slow.test.ts"],
    testTimeout: 600_000,
    fileParallelism: false,
    globalSetup: ["test/global-setup.ts"],
  },
})
