import { expect, test } from "vitest"
import { findUserDirs } from "../../src/adapters/user-dirs.js"

test.each([
  {
    name: "Linux",
    platform: "linux" as const,
    env: { HOME: "/home/ada", XDG_DATA_HOME: "relative" },
    dirs: {
      config: "/home/ada/.config/toolsum",
      data: "/home/ada/.local/share/toolsum",
      state: "/home/ada/.local/state/toolsum",
      cache: "/home/ada/.cache/toolsum",
    },
  },
  {
    name: "XDG variables",
    platform: "linux" as const,
    env: { HOME: "/h", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" },
    dirs: { config: "/c/toolsum", data: "/d/toolsum", state: "/s/toolsum", cache: "/k/toolsum" },
  },
  {
    name: "macOS",
    platform: "darwin" as const,
    env: { HOME: "/Users/ada", XDG_CONFIG_HOME: "/c" },
    dirs: {
      config: "/Users/ada/Library/Application Support/toolsum",
      data: "/Users/ada/Library/Application Support/toolsum/data",
      state: "/Users/ada/Library/Application Support/toolsum/state",
      cache: "/Users/ada/Library/Caches/toolsum",
    },
  },
  {
    name: "Windows",
    platform: "win32" as const,
    env: { APPDATA: "C:\\Users\\Ada\\AppData\\Roaming", USERPROFILE: "C:\\Users\\Ada" },
    dirs: {
      config: "C:\\Users\\Ada\\AppData\\Roaming\\toolsum",
      data: "C:\\Users\\Ada\\AppData\\Local\\toolsum\\data",
      state: "C:\\Users\\Ada\\AppData\\Local\\toolsum\\state",
      cache: "C:\\Users\\Ada\\AppData\\Local\\toolsum\\cache",
    },
  },
  {
    name: "TOOLSUM_HOME",
    platform: "darwin" as const,
    env: { HOME: "/Users/ada", TOOLSUM_HOME: "/x" },
    dirs: { config: "/x/config", data: "/x/data", state: "/x/state", cache: "/x/cache" },
  },
])("folders with $name", ({ env, platform, dirs }) => expect(findUserDirs(env, platform)).toEqual(dirs))

test.each([
  { name: "no home", platform: "linux" as const, env: {} },
  { name: "a relative home", platform: "linux" as const, env: { HOME: "here" } },
  { name: "a relative TOOLSUM_HOME", platform: "linux" as const, env: { HOME: "/h", TOOLSUM_HOME: "here" } },
  { name: "no profile", platform: "win32" as const, env: {} },
])("$name is CONFIG_INVALID", ({ env, platform }) =>
  expect(() => findUserDirs(env, platform)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" })),
)
