#!/bin/sh
# The main job on five real npm servers, each in two versions: pin, take in the update, read the difference, approve, prove. Then
# somebody edits the lockfile, and somebody rewrites the log. Needs Node >= 20.19 and npm, nothing else.
# Writes to a temporary folder (KEEP=1 leaves it there), dist/ and node_modules/ only. Servers list their tools and do nothing else;
# those that want keys get dummy texts. SKIP_INSTALL=1 takes what is installed. Exit 1 when any step ends otherwise than it must.
# demo/transcript.txt is what one run printed (2>&1); tests hold new runs to it.
set -u

DEMO=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
ROOT=$(dirname -- "$DEMO")

fail() {
  printf '\ndemo: %s\n' "$1" >&2
  exit 1
}

toolsum() { node "$ROOT/dist/cli/bin.js" "$@"; }

# --- steps and parts ---------------------------------------------------------------------------------------------------------------

BOLD='' PLAIN=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then BOLD=$(printf '\033[1m') PLAIN=$(printf '\033[0m'); fi

say() { printf '\n# %s\n' "$1"; }

# step EXIT FOLDER LINE: prints the line with the folder (of demo/) it runs in, runs it, wants that exit code.
step() {
  printf '\n%s%s$ %s%s\n' "$BOLD" "$2" "$3" "$PLAIN"
  (cd "$DEMO/$2" && eval "$3") </dev/null 2>&1
  got=$?
  [ "$got" -eq 0 ] || printf '[exit %s]\n' "$got"
  [ "$got" -eq "$1" ] || fail "expected exit $1, got $got"
}

now() { node -p 'Date.now()'; }
seconds() { printf '%s.%s' "$(($1 / 1000))" "$(($1 / 100 % 10))"; }

TIMES=''
PART=''
# part TITLE: ends the part before, remembers how long it took. Without a title only that.
part() {
  at=$(now)
  [ -z "$PART" ] || TIMES="$TIMES$(printf '%6s  %s' "$(seconds $((at - PART_AT)))" "$PART")
"
  PART=${1-}
  PART_AT=$at
  [ -z "$PART" ] || printf '\n%s== %s%s\n' "$BOLD" "$PART" "$PLAIN"
}

# --- what is needed ----------------------------------------------------------------------------------------------------------------

command -v node >/dev/null && command -v npm >/dev/null || fail 'expected node and npm on the PATH'
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
  fail "expected Node 20.19 or newer, got $(node --version)"

WORK=$(mktemp -d "${TMPDIR:-/tmp}/toolsum-demo.XXXXXX") || exit 1
WORK=$(CDPATH='' cd -- "$WORK" && pwd -P) || exit 1
finish() {
  if [ -n "${KEEP-}" ]; then printf '\nKept: %s\n' "$WORK"; else rm -rf -- "$WORK"; fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
case $WORK in *[!A-Za-z0-9/._-]*) fail "expected a temporary folder without spaces, got $WORK; set TMPDIR" ;; esac

STARTED=$(now)
printf 'Work folder: WORK=%s (removed at the end; KEEP=1 keeps it)\n' "$WORK"

# --- install -----------------------------------------------------------------------------------------------------------------------

if [ -z "${SKIP_INSTALL-}" ]; then
  part 'Install and build this project'
  step 0 .. 'npm ci --loglevel=error'
  part 'Install five servers in two versions each'
  step 0 old 'npm ci --ignore-scripts'
  step 0 new 'npm ci --ignore-scripts'
fi
[ -f "$ROOT/dist/cli/bin.js" ] || fail 'expected dist/cli/bin.js: run this without SKIP_INSTALL, or npm run build'
for folder in old new; do
  [ -d "$DEMO/$folder/node_modules" ] || fail "expected demo/$folder/node_modules: run this without SKIP_INSTALL"
done

# The demo's own user, project and log. npx may not download from here on: it runs what was installed.
TOOLSUM_HOME=$WORK/home
LOG="--log-dir $WORK/log"
LOCK="--lock $WORK/project/toolsum.lock.json"
export TOOLSUM_HOME npm_config_offline=true
unset TOOLSUM_ROOT

# --- the main job ------------------------------------------------------------------------------------------------------------------

part 'Pin five servers as they were'
printf '\nTOOLSUM_HOME=$WORK/home   LOG="--log-dir $WORK/log"   LOCK="--lock $WORK/project/toolsum.lock.json"\n'
printf 'npm_config_offline=true: npx starts what is installed in demo/old or demo/new and downloads nothing\n'
mkdir "$WORK/project"
step 0 old 'toolsum init $LOG'

# add NAME PACKAGE@VERSION [OPTIONS]
add() {
  step 0 old "toolsum add $1 \$LOG \$LOCK --by you \\${3:+
  $3 \\}
  -- npx -y $2"
}

SLACK='--placeholder SLACK_BOT_TOKEN --placeholder SLACK_TEAM_ID'
TAVILY='--placeholder TAVILY_API_KEY'
add slack @modelcontextprotocol/server-slack@2025.1.17 "$SLACK"
add memory @modelcontextprotocol/server-memory@2026.1.26
add tavily tavily-mcp@0.2.15 "$TAVILY"
add playwright @playwright/mcp@0.0.71
add thinking @modelcontextprotocol/server-sequential-thinking@2026.7.4

say 'Every pin is proven, offline. The live servers still say the same.'
step 0 old 'toolsum verify $LOCK'
step 0 old 'toolsum check $LOG $LOCK'

say 'A backup of the log. It has a part further down.'
step 0 old 'cp -R "$WORK/log" "$WORK/backup"'

part 'Take in their next versions'

# update NAME PACKAGE@VERSION [OPTIONS]: started in another folder, so variables that were accepted in the first one are named again
update() {
  step 1 new "toolsum update $1 \$LOG \$LOCK \\${3:+
  $3 \\}
  -- npx -y $2"
}

say 'One word of a description:'
update slack @modelcontextprotocol/server-slack@2025.4.25 "$SLACK"
say 'Nothing but annotations:'
update memory @modelcontextprotocol/server-memory@2026.7.4
say 'A tool more:'
update tavily tavily-mcp@0.2.16 "$TAVILY"
say 'A tool renamed, one more, arguments gone:'
update playwright @playwright/mcp@0.0.76
say 'Types that take more than before:'
update thinking @modelcontextprotocol/server-sequential-thinking@2026.8.31

part 'Approve what was read, prove it offline'
say 'Recorded is not approved:'
step 1 new 'toolsum verify $LOCK'

# approve NAME REASON: the digest that the update printed, as a program would take it.
approve() {
  pin=$(toolsum show "$1" $LOCK --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).servers[0].pin') ||
    fail "expected the pin digest of $1"
  step 0 new "toolsum approve $1 \$LOCK --by you --reason '$2' \\
  --to $pin"
}

say 'A person accepts exactly those digests:'
approve slack 'one word clearer'
approve memory 'annotations only'
approve tavily 'new tool wanted'
approve playwright 'new name says that it is unsafe'
approve thinking 'accepts texts too'

say 'Offline: no socket, no process.'
step 0 new 'toolsum verify $LOCK'
say 'A colleague or a CI job has neither log nor keys: the lockfile and the root fingerprint do.'
PINNED=$(toolsum log path $LOG --json | node -p 'const { origin, root } = JSON.parse(require("fs").readFileSync(0, "utf8")); `${origin}=${root}`') ||
  fail 'expected the root of the log'
step 0 new "TOOLSUM_HOME=\$WORK/colleague toolsum verify \$LOCK \\
  --root $PINNED"
say 'With network: pin, log and live server, all three.'
step 0 new 'toolsum check $LOG $LOCK'

# --- attacks -----------------------------------------------------------------------------------------------------------------------

part 'A lockfile edited by hand'
say 'A tool gets its old name back, a record another version:'
step 0 new 'cp -R "$WORK/project" "$WORK/edited"'
step 0 new 'sed -e s/browser_run_code_unsafe/browser_run_code/ -e "s/version 2025.4.25/version 2025.1.17/" \
  "$WORK/project/toolsum.lock.json" >"$WORK/edited/toolsum.lock.json"'
step 3 new 'toolsum verify --lock "$WORK/edited/toolsum.lock.json"'

part 'A rewritten log'
say 'The backup is put in place of the log: five records are gone.'
step 3 new 'toolsum check --log-only --log-dir "$WORK/backup" $LOCK'
say 'Its own writer does not sign on it:'
step 2 new 'toolsum update slack --log-dir "$WORK/backup" $LOCK'
say 'Somebody has a copy of the keys and no memory, so nothing stops them: they sign another history.'
step 0 new 'mkdir "$WORK/thief" && cp -R "$WORK/home/config" "$WORK/thief/config"'
step 0 new 'TOOLSUM_HOME=$WORK/thief toolsum add thinking --log-dir "$WORK/backup" \
  --lock "$WORK/thief/toolsum.lock.json" --by thief \
  -- npx -y @modelcontextprotocol/server-sequential-thinking@2026.8.31'
say 'Every signature is good. Whoever has seen the log before has the proof that it lies, kept as a file:'
step 3 new 'toolsum check --log-only --log-dir "$WORK/backup" $LOCK'
say 'So has a colleague who has never seen it, from the heads in the lockfile:'
step 3 new "TOOLSUM_HOME=\$WORK/colleague toolsum check --log-only --log-dir \"\$WORK/backup\" \$LOCK \\
  --root $PINNED"
say 'The true log is what it was:'
step 0 new 'toolsum check --log-only $LOG $LOCK'

# --- end ---------------------------------------------------------------------------------------------------------------------------

part
printf '\n== Seconds\n\n%s' "$TIMES"
printf '%6s  %s\n' "$(seconds $(($(now) - STARTED)))" 'all'
printf '\nShown: five real servers pinned, five updates reviewed and approved, all five PROVEN offline;\n'
printf 'an edited lockfile and a rewritten log refused.\n'
