#!/usr/bin/env node
// The command itself: makes the real Io of this process and sets the exit code. A fault of ours is 2 and never Node's own 1: that would
// say "changed".
import { main, reportUncaught } from "./main.js"
import { createProcessIo } from "./process-io.js"

const io = createProcessIo(process)

// What is thrown where nobody awaits it: by a stream, a timer, a promise. Leaving by `exit` ends the servers that were started.
process.on("uncaughtException", (error) => process.exit(reportUncaught(error, io)))

// No await at the top level: the command is bundled as CommonJS, which has none.
void main(process.argv.slice(2), io).then((code) => {
  process.exitCode = code
  // Nothing is left but to tidy up memory that goes with the process. Output that waits in a stream must drain first.
  if (io.wroteAll()) process.exit()
})
