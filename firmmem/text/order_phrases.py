"""How orders to an agent are worded in English, each with what it can't do without.

`…` stands for up to 60 characters of one sentence and `‥` for up to 30. Texts are matched in lower case, without the
accents of Latin letters.
"""

from typing import Final

Phrase = tuple[str, str]  # the words of which one has to be there, the shape

_DROP = (
    r"(?<!not )(?<!never )(?<!n't )\b(?:ignore|disregard|forget|overrid(?:e|ing)|overrule|bypass|discard|abandon|dismiss|"
    r"circumvent|set aside|throw away|pay no attention to|never ?mind|"
    r"(?:stop|quit|cease|without) (?:following|obeying|respecting)|"
    r"(?:do not|don't|dont|no longer) (?:follow|obey|listen to|adhere to|comply with|respect))\b"
)
_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|guardrails|directives|directions|programming|restrictions|constraints|"
    r"polic(?:y|ies)|filters?|safeguards|safety|training|guidance|conversation|context|orders|commands?)\b"
)
_STANDING = (
    r"\b(?:previous|prior|above|earlier|preceding|existing|former|original|initial|your|system|safety|content|security|"
    r"user's|developer's|everything)\b"
)
_SECRETS = (
    r"(?:passwords?|api keys?|credentials|secrets|tokens|memories|core facts|(?:chat|conversation|message)s? "
    r"(?:history|logs?)|private keys?|ssh keys?|id_rsa|\.ssh|\.env\b|wallets?|personal data|"
    r"(?:user's|their|his|her) (?:files?|data|mail|e-?mails?|documents|photos|messages))"
)
_OUTSIDE = (
    r"(?:https?://|[\w.]+@[\w-]+\.\w|"
    r"\bto (?:the |my |our |this |an? )?(?:server|attacker|url|address|endpoint|webhook|account)\b|\battacker)"
)
_PEOPLE = r"(?:(?:the |any |your )?(?:users?|human|owner)|anyone|anybody|any ?one)\b"

_FROM_NOW = r"\b(?:from now on|from this (?:point|moment)(?: on(?:wards?)?| forward)?|henceforth|as of now|effective immediately)\b,?"

ENGLISH: Final[tuple[Phrase, ...]] = (
    (
        "instruction rules orders guidelines",
        (rf"{_DROP}‥\b(?:instructions?|rules|orders|guidelines)\b (?:that |which )?"
        r"(?:you (?:got|were|have|received|had)|given to you|given (?:earlier|before)|from (?:the |your )?(?:developer|system|user|admin|owner))"),
    ),
    (
        "follow obey respect",
        (r"\byou (?:no longer|do not|don't|need not|never)(?: (?:have|need))?(?: to)? (?:follow|obey|respect)\b‥"
        r"\b(?:rules|guidelines|instructions|restrictions|polic(?:y|ies)|user)\b"),
    ),
    (
        "disable turn_off switch_off remove deactivate lift_ shut_off",
        (r"(?<!not )(?<!never )(?<!n't )\b(?:disable|turn off|switch off|shut off|remove|deactivate|lift)\b (?:all |any |every )?(?:of )?your\b‥"
        r"(?:filters?|safety|restrictions?|guardrails|safeguards|guidelines|limits|limitations|moderation|censorship)"),
    ),
    ("new_orders new_commands", r"\bnew (?:orders|commands)(?: from (?:the )?[\w ]{1,20})? ?:"),
    ("refuse gpt bot", r"\byou are now (?:an? )?(?:\w*(?:gpt|bot)|\w+ ?gpt)\b|\b(?:must|may|can|will) (?:not|never) refuse (?:any|a |to )|\bnever refuse (?:any|a |to )"),
    ("whatever", r"\bwhatever (?:the user|they|anyone|he|she) (?:asks?|says?|wants?)\b‥\b(?:answer|reply|say|respond|do)\b"),
    (
        "your",
        (r"\b(?:give|show|tell|send|read|quote|paste|write|print)\b (?:me |us |out )*‥\byour (?:full |complete )?"
        r"(?:system|initial|original|first|hidden) (?:prompt|message|instructions?|rules|text)\b"),
    ),
    (
        "conceal hide_ silent quiet say_nothing",
        (rf"\b(?:conceal|hide) (?:this|it|that|these|everything|the \w+) from {_PEOPLE}|"
        r"\b(?:stay|keep|remain) (?:silent|quiet) about (?:it|this|that)\b|\bsay nothing about (?:it|this|that)\b"),
    ),
    (
        "ethic rules limit restriction filter moral guideline censor polic",
        (r"\b(?:you are|act as|be) (?:now )?an? (?:\w+ )?(?:ai|assistant|model|bot|chatbot)\b‥"
        r"\b(?:without|with no|free of|free from|that has no|that ignores|who ignores)\b‥"
        r"(?:ethic|rules|limit|restriction|filter|moral|guideline|censor|polic)"),
    ),
    (
        "override admin_mode root_mode god_mode developer_mode debug_mode maintenance_mode",
        (r"\b(?:instructions?|system|safety|policy|security|prompt) override\b|\boverride (?:code|key|command)s?\b[:,]|"
        r"\b(?:switch|change|go|enter|enable|activate|start)\b (?:in)?(?:to )?(?:the )?(?:admin|root|god|developer|debug|maintenance) mode\b"
        r"(?=.{0,40}\b(?:and|then|you|list|reveal|answer)\b)"),
    ),
    (
        "rules instruction guideline prompt message",
        (r"\b(?:your|all) (?:previous|old|earlier|prior|former|original) (?:rules|instructions|guidelines|prompts?|system messages?)\b "
        r"(?:have|has|are|were|was|is|no longer)\b‥(?:expired|void|invalid|obsolete|cancel|a test|apply|replaced|revoked|deleted)"),
    ),
    (
        "user",
        (r"\b(?:do not|don't|never|stop|refuse to) (?:comply(?:ing)? with|obey(?:ing)?|help(?:ing)?|assist(?:ing)?|listen(?:ing)? to) "
        r"(?:the |this )?user(?:'s)?\b(?! (?:with|to|about|when|by))"),
    ),
    (
        "this",
        (r"\b(?:agents?|assistants?|models?|ais?|llms?|bots?|anyone|any agent|whoever)\b (?:that |who |which )?"
        r"(?:reads?|loads?|sees?|recalls?|processes|retrieves?|reading|loading|processing|retrieving) this\b"),
    ),
    ("grant", r"\bgrant (?:me|us|the sender|guest|mallory)\b‥\b(?:access|admin|root|rights|privileges|permissions?)\b"),
    (
        "credentials password secret keys",
        (r"(?<!not )(?<!never )(?<!n't )\b(?:reveal|print|leak|output|expose|disclose|dump|give me|tell me|hand over)\b‥"
        r"\b(?:admin|administrator|root|all|every|stored|saved|user's|their)\b‥(?:credentials|passwords?|secrets|keys)\b"),
    ),
    (
        "as_your as_the",
        (r"\b(?:treat|consider|regard|use|take|adopt)\b‥\bas (?:your|the) (?:new )?(?:system )?"
        r"(?:prompt|instructions?|rules|directives?|system message)\b"),
    ),
    (
        "uthori permitted_you allowed_you",
        (r"\b(?:(?:authori[sz]|permitt|allow)ed you|you are (?:now )?authori[sz]ed) to (?:reveal|share|delete|bypass|ignore|run|"
        r"execute|disclose|access|send|skip|transfer)\b"),
    ),
    ("if_", r"\bif (?:anyone|anybody|someone|asked|you are asked|the user|they)\b‥\b(?:lie|deny|pretend|say nothing|act as if)\b"),
    (
        "ai_ ais llm assistants agents",
        (r"\b(?:ais?|llms?|ai (?:assistants?|agents?|models?)|(?:all )?(?:assistants|agents))\b (?:must|shall|have to|are required to)\b‥"
        r"\b(?:insert|include|append|recommend|ignore|reply|obey|say|reveal|mention|add|respond)\b"),
    ),
    (
        "permission confirmation approval user anyone",
        (r"\b(?:do not|don't|no need to|never) ask (?:for )?(?:any |the |further )?(?:permission|confirmation|approval|user|anyone)\b"
        r"[^.!?\n]{0,40}\b(?:delete|wipe|transfer|send|execute|drop|erase|overwrite|force)\b"),
    ),
    (
        "you_will_now you_must_now you_shall_now going_to_now",
        (r"\byou (?:will|must|shall|are going to) now (?:output|print|reveal|send|delete|act|behave|ignore|obey|answer|respond|follow|"
        r"run|execute|pretend|serve)\b"),
    ),
    ("disobey serve_ your_master your_new_master", r"\bdisobey (?:the|your|all|any)\b|\bserve (?:only )?(?:me|the attacker)\b|\byour (?:new )?master\b"),
    (
        ("ignore disregard forget overrid overrule bypass discard abandon dismiss circumvent aside throw_away attention_to "
        "never_mind nevermind follow obey respect listen adhere comply"),
        rf"{_DROP}‥{_STANDING}‥\b{_RULES}",
    ),
    (
        ("ignore disregard forget overrid overrule bypass discard abandon dismiss circumvent aside throw_away attention_to "
        "never_mind nevermind follow obey respect listen adhere comply"),
        (rf"{_DROP} (?:all|any|every)\b(?: of| the| these| those| such| its| my)* "
        r"(?:instructions?|prompts?|guidelines|guardrails|directives|restrictions|safeguards|rules)\b"),
    ),
    (
        ("ignore disregard forget overrid overrule bypass discard abandon dismiss circumvent aside throw_away attention_to "
        "never_mind nevermind follow obey respect listen adhere comply"),
        (rf"{_DROP}‥(?:\bthe (?:above|foregoing|preceding)(?= and\b| text| message| content|[,.;:!]|$)|"
        r"\b(?:everything|anything|whatever|what|all(?: that)?)\b‥"
        r"(?:\babove\b|\btold\b|\b(?:user|developer|system|owner)\b‥(?:says?|said|told|tells|wants|asks?)\b))"),
    ),
    (
        "prompt instruction rules guideline",
        (r"\b(?:reveal|print|leak|output|repeat|show|display|expose|disclose|tell me|give me|write out|dump|recite)\b‥"
        r"\b(?:your|hidden|secret|system|initial|developer)\b‥(?:prompts?|instructions?|rules|guidelines)\b"),
    ),
    (
        "above",
        r"\b(?:repeat|print|output|reveal)\b (?:everything|all|the (?:text|words?|lines?))‥\babove\b",
    ),
    (
        "user human owner anyone anybody any_one",
        (r"\b(?:do not|don't|dont|never|must not|not to|and not|without) (?:ever )?"
        rf"(?:tell|inform|alert|notify|warn)(?:ing)? {_PEOPLE}(?= ?(?:$|[.,;:!)]|about (?:it|this|that|these)\b|"
        r"of (?:it|this)\b|(?:and|or|but|what|why|anything|this|that (?:you|this|it|we))\b))"),
    ),
    (
        "user human owner anyone anybody any_one",
        (r"\b(?:do not|don't|dont|never|must not|without) (?:ever )?(?:mention|reveal|disclos|show|say|admit)(?:ing|e)? "
        rf"(?:this|it|that|any of (?:this|it)|these)\b‥\b{_PEOPLE}"),
    ),
    (
        "secret hidden hide private confidential",
        (r"\b(?:keep (?:this|it|that|these|everything)\b‥(?:secret|hidden|private|confidential)|hide (?:this|it|that)\b)"
        rf"‥\bfrom {_PEOPLE}"),
    ),
    (
        "why that_you who_ reason",
        (r"\b(?:never|without|do not|don't) (?:say|reveal|tell|explain|disclos|admit|mention)(?:ing|e)? "
        r"(?:why\b|that you\b|who (?:asked|told)|the (?:real )?reason)"),
    ),
    (
        "dan jailbr unrestrict uncensor unfilter developer_mode free evil now_in on_in now_an now_a on_an on_a god_mode",
        (r"\byou(?: are|'re| will be)? (?:now |from now on )(?:in )?(?:dan\b|an? (?:ai|assistant|unrestricted|different)\b|"
        r"developer mode|jailbroken|unrestricted|uncensored|unfiltered|free (?:of|from))|"
        r"\b(?:as|are|be) (?:dan\b|an? (?:unrestricted|uncensored|unfiltered|jailbroken|evil)\b)|"
        r"\b(?:enter|enable|activate) (?:dan|god|jailbreak|developer) mode\b"),
    ),
    (
        "you_are_no",
        (r"\byou are (?:no longer|not|not bound by) (?:claude|chatgpt|gpt|gemini|an? (?:assistant|ai)\b|bound|restricted|"
        r"limited by)"),
    ),
    (
        "restriction limit guideline rules filter safety censor ethic",
        (r"\b(?:act|behave|pretend|respond|answer|operate|roleplay|role-play|imagine)\b‥"
        r"\b(?:without|no|not bound by|free of|free from|had no|have no)\b‥"
        r"(?:restrictions?|limits|limitations|guidelines|rules|filters?|safety|censorship|ethic\w*)\b"),
    ),
    (
        "obey comply whatever anything everything matter",
        (r"\b(?:you (?:must|shall|have to|will|should|are to)(?: always| never| only| now)* (?:obey|comply)|"
        r"obey (?:only|me\b|my\b|this|every|whatever|(?:the|its) (?:owner|operator|attacker|author|following))|"
        r"comply with every|do (?:anything|whatever|everything)\b‥(?:says|said|asks?|told|orders?)\b|"
        r"no matter what (?:your|the) (?:guidelines|rules|instructions|user))"),
    ),
    (
        "http @ server attacker url address endpoint webhook account exfiltrate",
        (r"\b(?:send|forward|post|upload|exfiltrate|e-?mail|transmit|leak|copy|submit|mail)\b[^!?\n]{0,60}"
        rf"{_SECRETS}[^!?\n]{{0,60}}{_OUTSIDE}|(?:^|[.;:,!] ?|\b(?:please|and|then|to) )exfiltrate\b"),
    ),
    (
        "secretly silently covertly quietly discreetly",
        (r"(?:^|[.;:,!] ?|\b(?:and|then|please|must|you|to) )(?:secretly|silently|covertly|quietly|discreetly) "
        r"(?:add|send|forward|upload|copy|e-?mail|transmit|bcc|cc|include|share|delete|execute|run|install|transfer)\b"),
    ),
    (
        "rm_-rf curl wget",
        (r"\b(?:run|execute|call|launch|invoke|type)\b[^\n]{0,60}rm -rf (?:~|/|\$home|\*)|"
        r"\b(?:when you|shell tool|immediately|at once|right away|without (?:asking|confirmation))[^\n]{0,60}"
        r"(?:curl|wget)\b[^\n|]{0,80}\| ?(?:sudo )?(?:ba|z)?sh\b"),
    ),
    (
        "confirm asking permission approval",
        (r"(?:^|[.;:!?] ?|\band )(?:(?!\b(?:never|not|no|nothing)\b|n't)[^.;:!?]){0,60}?\b(?:run|execute|carry out|transfer|"
        r"wipe)\b‥without (?:any |further |asking for )?(?:confirmation|asking|permission|approval)|"
        r"\byou (?:have to|must|should) skip‥(?:confirm|approval)"),
    ),
    (
        "read this attention hidden secret",
        (r"\b(?:who(?:m|so)?ever reads this|(?:when|once|as soon as) you (?:read|see|recall|retrieve) this|"
        r"(?:agent|assistant|ai|model|llm|bot)s? (?:that |who )?read(?:s|ing) this|attention,? (?:ai|llm|all ai|agents?)\b|"
        r"(?:hidden|secret) (?:instruction|message|directive|order|command)s? (?:for|to) )"),
    ),
    (
        "restriction polic filter safeguard guardrail limitation check control protection measure your_",
        (r"\b(?:(?:safety|content|ethical|system|your)\b‥|(?:earlier|previous|prior|all)(?: \w+)? )"
        r"(?:restrictions?|polic(?:y|ies)|filters?|safeguards|limitations|guardrails|checks?|controls|protections|measures)\b "
        r"(?:are|is|have been|were|do|no)\b‥\b(?:lifted|removed|disabled|off|suspended|void|apply|revoked|deactivated)\b|"
        r"\byour (?:\w+ )?(?:guidelines|rules|instructions|programming) (?:are|is|have been) (?:now )?(?:void|suspended|lifted|disabled|"
        r"cancelled|canceled|revoked|null|deleted|gone)\b"),
    ),
    (
        "new_ system",
        (r"(?:^|[.;:!?\n] ?|\b(?:your|these are) )new (?:system )?(?:instructions?|prompt|directives?|system message) ?:|"
        r"\byour new (?:instructions?|orders|directives?|rules) (?:are|is)\b|"
        r"(?:^|\n)\W{0,4}system(?: (?:message|prompt|override|note|admin))?\W{0,3}:(?=.{0,80}\b(?:you|your|safety)\b)|"
        r"\bsystem override\b"),
    ),
    (
        "task goal purpose mission job objective directive",
        (r"\b(?:your (?:real|true|actual|only|sole|secret)|the only) (?:task|goal|purpose|mission|job|objective|directive)\b"
        r"(?: now)? is\b"),
    ),
    (
        "memories memory core_fact",
        (r"(?<!not )(?<!never )(?<!n't )\b(?:delete|wipe|erase|overwrite|remove|destroy|purge) "
        r"(?:all|every|the entire|your entire|all of)\b‥(?:memories|memory|core facts)\b"),
    ),
    (
        "overrid outrank preceden priority supersede",
        (r"\bthis (?:memory|note|text|message|file|document|instruction)\b‥(?:overrides|outranks|takes precedence|"
        r"has (?:the )?(?:highest|top|absolute) priority|supersedes (?:all|every|any))"),
    ),
    (
        "you_must",
        (r"\byou must (?:always |never |only )*(?:recommend|promote|praise|(?:answer|reply|respond) with|approve|favou?r|"
        r"ignore|not tell)\b"),
    ),
    (
        "http",
        (r"\b(?:reply|answer|respond|append|add|insert|include)\b…\b(?:every|each|all|any)\b‥"
        r"(?:question|answer|repl|response|message|mail)…https?://"),
    ),
    (
        "from_now from_this hencef as_of_now effective",
        (rf"{_FROM_NOW} (?:you )?(?:(?:must|will|are to|shall|should) )?(?:always |only |never )*(?:obey|ignore|act as (?:if|dan)|"
        r"pretend|mention this|speak of this|tell (?:no ?one|nobody)|respond only|answer (?:without|only with))"),
    ),
)  # fmt: skip

MARKUP: Final[tuple[Phrase, ...]] = (
    (
        "< [",
        r"</(?:system|system-reminder|sys)>|<(?:system|system-reminder|sys)>(?=[^<]{0,200}\b(?:you|must|user|ignore)\b)|<\|(?:system|im_start|start)\|>|\[/?inst\]",
    ),
    (
        "<",
        (r"<(tool_call|tool_result|tool_response|tool_use|tool_output|function_calls?|function_results?|invoke|observation|"
        r"antml:\w+)\b[^>]{0,200}>\s{0,20}[^\s<][\s\S]{0,4000}?</\1>|<(?:tool_use|function_calls|tool_call|invoke)\b[^>]{0,200}>"
        r"\s{0,20}<[a-z]|<(?:function|invoke|parameter)=\w+>|<\|(?:channel|call|constrain|tool_call\w{0,20})\|>"),
    ),
    (
        "#",
        r"(?:^|\n)#{1,4} ?(?:system|instructions? (?:for|to) (?:the )?(?:ai|assistant|agent|model))\b",
    ),
)  # fmt: skip
