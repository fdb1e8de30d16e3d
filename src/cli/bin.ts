#!/usr/bin/env node
// The command itself: makes the real Io of this process and sets the exit code. Never exits early: stdout must drain.
import { main } from "./main.js"
import { createProcessIo } from "./process-io.js"

// No await at the top level: the command is bundled as CommonJS, which has none.
void main(process.argv.slice(2), createProcessIo(process)).then((code) => {
  process.exitCode = code
})
