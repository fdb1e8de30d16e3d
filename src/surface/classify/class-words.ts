// Words by which a tool's class is read. All are compared as whole words of names in lower case, singular: the last words of a parameter's name
// say what its value is, the first verb of a tool's name what it does.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Addresses to connect to. */
export const TARGET_WORDS = words(
  "url uri iri href urlstring endpoint webhook callback hostname host website dsn proxyserver upstream webhookurl callbackurl",
)
/** The same in two words. */
export const TARGET_PAIRS = words(
  "connection:string server:address base:address host:port ip:address remote:address web:address",
)

/** Who gets what is sent, in whatever tool. */
export const RECIPIENT_WORDS = words("cc bcc recipient attendee invitee addressee mailto guest")
/** What "to" or "with" follows where it names one: `forwardTo`, `share_with`. */
export const HANDING_WORDS = words("reply forward send mail email notify share deliver post publish invite message")
/** Words for one only where something is sent: a lookup by mail address or the history of a channel sends nothing. */
export const ADDRESS_WORDS = words(
  "email mail phone channel mobile msisdn sms chat room thread mailbox subscriber telephone",
)
/** Qualify an address as that of a recipient. */
export const RECEIVING_WORDS = words(
  "recipient to destination forward notify notification invite invitee attendee guest",
)
/** What is sent. */
export const CONTENT_WORDS = words("body message text subject content html markdown block attachment comment payload")

/** Texts that are run. */
export const CODE_WORDS = words(
  "code script command cmd shell expression eval sql bash powershell javascript typescript python lua js jq cmdline commandline " +
    "sourcecode cypher graphql sparql gremlin kql promql xpath jsonpath program snippet function",
)
/** Before "code", "expression", "function" and "program": identifiers, not what is run. */
export const CODED_WORDS = words(
  "country currency language lang locale zip postal post area status error exit response http airport airline iata icao state region " +
    "promo coupon discount product item order color colour bar qr verification auth authorization access security invite tracking " +
    "dial phone station reason department cost account tax hs naics sic lookup cron schedule loyalty affiliate partner",
)
/** Behind a word of code without changing what it is: `commandLine`, `sqlText`. */
export const CODE_TAILS = words("line text string str source body content input block raw")
/** Texts that are run where a language is named beside them. */
export const QUERY_WORDS = words("query q statement search filter input text request body payload operation")
/** Languages of questions to a database. */
export const QUERY_LANGUAGE =
  /\b(?:sql|nosql|soql|mysql|postgresql|sqlite|t-sql|plsql|cypher|graphql|sparql|gremlin|kql|promql|logql|xpath|jsonpath|jmespath|mdx|aql|hql|raw query|query language)\b/i
/** A description of code to be run. */
export const CODE_TEXT =
  /\b(?:shell|bash|powershell|terminal|python|javascript|typescript|js|lua|ruby|sql)\s+(?:command|script|code|snippet|statement|expression|function|program)s?\b|\b(?:code|script|command|expression|function|program)s?\s+to\s+(?:run|execute|evaluate|eval|be\s+(?:run|executed|evaluated))\b/i
/** What a value names or measures where it ends a name: never code, whatever its description speaks of. */
export const LABEL_WORDS = words(
  "path file filename name id title type kind description label language lang timeout dir directory cwd folder reason note uid version tag key format element target",
)
/** A description of an address to connect to. */
export const TARGET_TEXT =
  /^(?:(?:the|an?|full|complete|absolute|target|public|optional|fully|qualified|http|https|http\(s\)|page|web|website|server|callback|remote|api)\s+)*(?:urls?|uris?|webhook|web\s+address|endpoint)\b(?!-)/i

/** Tool names that run what they are given. */
export const RUNNING_WORDS = words("run exec execute eval evaluate")
/** What is run. */
export const RUN_WORDS = words(
  "code script command cmd shell sql js javascript typescript python bash powershell terminal query expression snippet",
)
/** Words of a tool's name that alone say so. */
export const SHELL_WORDS = words("shell bash exec eval powershell terminal repl ssh unsafe")

/** Verbs of tools that only look. One that comes first hides no other signal. */
export const READING_VERBS = words(
  "get list read find search fetch show view query lookup resolve retrieve check describe count explain analyze analyse inspect " +
    "validate compare convert calculate compute preview verify browse scan diff detect extract map summarize translate is has",
)
/** Verbs of tools that change something. */
export const WRITING_VERBS = words(
  "write create update set add put insert edit modify patch rename move fork merge push checkout commit append save upsert replace " +
    "assign approve reject install deploy enable disable grant configure toggle schedule import copy restore archive mark complete " +
    "cancel book pay transfer comment react label rotate post click dblclick tap type press fill drag change alter store make",
)
/** Verbs of tools that hand something to others. */
export const SENDING_VERBS = words(
  "send forward notify broadcast publish tweet reply share invite upload dispatch mail",
)
/** Verbs that take away what nobody can bring back. */
export const DESTROYING_VERBS = words("delete erase destroy purge wipe truncate shred obliterate nuke overwrite drop")
/** Verbs that take away or stop what can be made again. */
export const REMOVING_VERBS = words("remove reset clear flush revoke uninstall terminate kill prune discard shutdown")
/** "Drop" destroys these; files are dropped on a page too. */
export const DROPPED_WORDS = words(
  "table database db collection index schema column view user role keyspace constraint trigger partition all",
)
/** Secrets that are gone once they are rotated or revoked. */
export const CREDENTIAL_WORDS = words("credential apikey key secret password token certificate")
/** First words of descriptions that say that something is changed; "create" and "store" are said of pictures and caches too. */
export const STATED_WRITING = words("write insert update edit modify rename upload append overwrite")

/** Flags that make an action final, in any tool. */
export const FINAL_FLAGS = words(
  "overwrite permanent permanently purge hard:delete skip:trash allow:overwrite drop:target no:backup delete:permanently permanent:delete bypass:trash",
)
/** Flags that do so in tools that do not only look: listings are recursive, caches are refreshed by force. */
export const FORCING_FLAGS = words("force recursive forced force:delete force:push recursively")

/** Concurrency tokens: what is changed must still be what was read. */
export const TOKEN_NAMES = words(
  "if_match etag version expected_revision if_unmodified_since expected_version expected_etag base_revision expected_sha base_sha",
)
/** Whole contents of a file. */
export const WHOLE_CONTENTS = words("content contents data text body")
/** Parameters that say where a file goes. */
export const OUTPUT_NAMES = words(
  "destination dest output_path out_path output_file target_path to_path new_path save_path save_to output_dir output_dir_path output_directory " +
    "response_file_path download_path destination_path",
)
/** A description of a file to be written. */
export const OUTPUT_TEXT =
  /\b(?:to|where(?:\s+to)?|for)\s+(?:save|write|store|export)\b|\b(?:saved?|written?|stored)\s+(?:\w+\s+){0,3}(?:to|in|into|as)\b/i
/** Parameters that name a file. */
export const FILE_WORDS = words("path file filename filepath directory dir folder")

/** What is not everybody's to read. */
export const SENSITIVE_WORDS = words(
  "mail inbox email calendar correspondence contact employee roster mailbox password credential secret passwd env dotenv cookie " +
    "medical patient salary payroll keychain vault clipboard",
)
/** The same in two words. */
export const SENSITIVE_PAIRS = words(
  "environment:variable environment:variables private:key private:keys api:key api:keys access:token access:tokens direct:message " +
    "direct:messages private:message private:messages channel:history chat:history message:history browsing:history thread:replies " +
    "user:profile user:profiles directory:users health:records bank:account print:env personal:data get:users list:users",
)
/** Flags that add it: one of these and one of those. */
export const INCLUDING_WORDS = words("include with show reveal expose return unmask")
export const INCLUDED_WORDS = words("secret credential pii password contact personal token sensitive private")

/** A text that says that what was done can be undone. */
export const UNDOABLE_TEXT =
  /\b(?:version history|revision history|previous version|restore[ds]?|restorable|undo|undone|trash|recycle bin|soft[- ]delet\w+|recoverable|recovered)\b/gi
/** Words before it that deny it. */
export const DENIAL = /\b(?:not|no|never|cannot|can't|without|irreversibly|un|permanently)\b[^.;]*$/i
