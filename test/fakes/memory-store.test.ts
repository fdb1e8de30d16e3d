import { createMemoryStore } from "./memory-store.js"
import { describeTileStore } from "./tile-store-suite.js"

describeTileStore("memory", () => createMemoryStore())
