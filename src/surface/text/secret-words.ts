// Words for what nobody hands to a tool by accident: files with credentials, credentials, a person's data, the conversation. Folded text.

/** Files that hold credentials wherever they are: nobody means another file. Public keys are none. */
export const STRONG_PATH =
  "(?:(?:~|\\$home|%userprofile%|/root|/home/[\\w.-]{1,32}|/users/[\\w.-]{1,32})?[/\\\\]?\\.(?:ssh[/\\\\]?(?:id_[a-z0-9]{2,10}|authorized_keys|config|\\*)?(?!\\.pub)|aws[/\\\\]credentials|gnupg\\b|kube[/\\\\]config|docker[/\\\\]config\\.json|netrc\\b|git-credentials\\b|pgpass\\b|password-store\\b)|\\bid_(?:rsa|ed25519|ecdsa|dsa)\\b(?!\\.pub)|/etc/(?:shadow|sudoers)\\b|\\bwallet\\.dat\\b|\\blogin\\.keychain\\b|\\b(?:login data|cookies\\.sqlite|logins\\.json|key4\\.db)\\b)"
/** Files that often do, and that tools name for good reasons too. */
export const WEAK_PATH =
  "(?:(?:^|[\\s\"'`(/])\\.env(?:\\.\\w{1,20})?\\b|\\.(?:npmrc|pypirc|bash_history|zsh_history)\\b|/etc/passwd\\b|\\bcredentials\\.json\\b|\\bservice[-_]account\\.json\\b|\\b(?:mcp|claude_desktop_config|secrets)\\.(?:json|ya?ml|toml)\\b|\\b\\w{1,40}\\.(?:pem|p12|pfx|kdbx)\\b)"
/** Credentials by name. */
export const CREDENTIAL =
  "(?:(?:api|access|secret|private|ssh|signing|encryption|master|account)[ -]keys?|(?:access|auth|authentication|authori[sz]ation|bearer|session|refresh|oauth|api|login|security) tokens?|passwords?|passphrases?|pass ?codes?|credentials?|session cookies?|cookies|seed phrases?|recovery (?:phrases?|codes?)|one-time (?:codes?|passwords?)|2fa codes?|client secrets?|env(?:ironment)? (?:variables?|vars?)|secrets)"
/** What is known about a person. */
export const PERSONAL =
  "(?:(?:home|street|postal|private|e-?mail|residential) address(?:es)?|phone numbers?|date of birth|birth ?dates?|passport (?:number|data|scan)s?|bank (?:account|details?)(?: numbers?)?|credit card(?: numbers?| details?)?|card numbers?|social security numbers?|tax id|salary|medical (?:history|records?)|health (?:data|records?)|whereabouts|full name|contacts?|calendar|browsing history)"
/** What a model knows from its session. */
export const CONVERSATION =
  "(?:conversations?|chats?(?: history| log)?|dialog(?:ue)?s?|transcripts?|chat history|message history|messages|session (?:history|log)s?|context(?: window)?|history|exchange|discussion|system prompt|instructions|memory|memories|reasoning|chain of thought|prompts?)"
