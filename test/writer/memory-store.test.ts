import { createMemoryStore } from "../../src/writer/memory-store.js"
import { describeTileStore } from "../fakes/tile-store-suite.js"

describeTileStore("memory", () => createMemoryStore())
