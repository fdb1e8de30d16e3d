// Where the server of `toolsum demo` lies: beside this module, and beside the bundle that this module ends up in.

export const DEMO_SERVER = new URL("./demo-server.js", import.meta.url)
