// Under which identity a list is read, and what is never compared.
import { describe, expect, test } from "vitest"
import type { Target } from "../../src/core/target.js"
import { chosenNameOf, placeholdersOf, profileOf, requireProfile } from "../../src/features/profile.js"

const command = (...env: string[]): Target => ({ command: "x", args: ["$$5"], env })

describe("profile", () => {
  test.each([
    { name: "nothing given", target: command(), placeholders: [], profile: "anonymous" },
    { name: "variables", target: command("B", "A"), placeholders: [], profile: "env:A+env:B" },
    { name: "a dummy", target: command("A", "B"), placeholders: ["A"], profile: "env:B+placeholder:A" },
    {
      name: "variables in arguments",
      target: { command: "x", args: ["--key=${TOKEN}", "${B}${A}"], env: ["A"] },
      placeholders: ["B"],
      profile: "env:A+env:TOKEN+placeholder:B",
    },
    {
      name: "headers and templates of a URL",
      target: { url: "https://x.example/${TEAM}", headers: { Authorization: "Bearer ${TOKEN}" } },
      placeholders: [],
      profile: "env:TEAM+env:TOKEN+header:authorization",
    },
  ])("$name", ({ target, placeholders, profile }) => {
    expect(profileOf(target, placeholders)).toBe(profile)
    expect(placeholdersOf(profile)).toEqual(placeholders)
    expect(chosenNameOf(profile)).toBeNull()
    expect(() => requireProfile(profile, target)).not.toThrow()
  })

  test("a chosen name says nothing of what is given", () => {
    expect(chosenNameOf("work")).toBe("work")
    expect(placeholdersOf("work")).toEqual([])
    expect(() => requireProfile("work", command("A"))).not.toThrow()
  })

  test.each([
    { profile: "anonymous", target: command("A") },
    { profile: "env:A", target: command("A", "B") },
    { profile: "placeholder:A", target: command("A", "B") },
    { profile: "env:A", target: command() },
  ])("a list that was read as $profile is not read as another", ({ profile, target }) => {
    expect(() => requireProfile(profile, target)).toThrow(expect.objectContaining({ code: "PROFILE_MISMATCH" }))
  })
})
