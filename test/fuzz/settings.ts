// What run.mjs asks of the fuzz tests, from the environment.

const { env } = process

/** Seed of all random numbers. */
export const seed = Number(env.TOOLSUM_FUZZ_SEED)
/** Seconds for all readers of one kind of search together. */
export const seconds = Number(env.TOOLSUM_FUZZ_SECONDS)
/** Where fast-check starts again. */
export const path = env.TOOLSUM_FUZZ_PATH || undefined
/** The one reader to fuzz; null: all. */
export const only = env.TOOLSUM_FUZZ_ONLY || null
/** True to write what was found to the corpus. */
export const save = env.TOOLSUM_FUZZ_SAVE === "1"
/** True to search without guidance as well, and say what it brought. */
export const compare = env.TOOLSUM_FUZZ_COMPARE === "1"
/** File with the one input to run. */
export const replay = env.TOOLSUM_FUZZ_REPLAY || null
