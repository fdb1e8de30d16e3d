import { defineConfig } from "vitest/config"
import { alias } from "./vitest.config.js"

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["test/conformance/**/*.conformance.ts"],
    testTimeout: 180_000,
    maxConcurrency: 2,
    reporters: ["verbose"],
    globalSetup: ["test/global-setup.ts", "test/conformance/install.ts"],
  },
})
