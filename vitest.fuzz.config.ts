import { defineConfig } from "vitest/config"
import { alias } from "./vitest.config.js"

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/fuzz/**/*.fuzz.ts"],
    testTimeout: 3_600_000,
    fileParallelism: false,
  },
})
