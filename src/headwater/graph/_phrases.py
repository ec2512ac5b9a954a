"""Phrases of questions about a schema graph, as data.

Each tag has alternatives, which are found as whole words in the canonical text of a question (see `_lexicon`): T1 and T2 are
tables, L a layer, G a group, S a database or schema, D a kind of table, R a row.
"""

from __future__ import annotations

TAGS: dict[str, tuple[str, ...]] = {
    # Topics of a question
    "FK": (r"fk|keys?|referenc\w+|referential|join\w*|constraints?",),
    "REFERENCE": (
        r"refers?|fk|keys?|referenc\w+|point(?:s|ing)? (?:\w+ )?(?:at|to)|child (?:table )?of",
        r"parent (?:table )?of|keyed|constraints?|parent in|child in",
    ),
    "JOIN": (r"join\w*",),
    "LINEAGE": (
        r"lineage|deriv\w*|downstream|upstream|load(?:s|ed|ing)?|descendants?|ancestors?|populat\w+|sourced?",
    ),
    "LINEAGE_EDGES": (r"lineage|deriv\w*|loads?|loaded|descendants?",),
    "EITHER_KIND": (
        r"fk and lineage|(?:either|any|whatever|both) (?:kinds? of )?(?:edges?|links?|kinds?|types?)",
        r"fk\b.{0,30}\blineage|lineage\b.{0,30}\b(?:fk|keys)|combined (?:graph|edges?|view)|any kind",
    ),
    "ONLY_LINEAGE": (
        r"lineage (?:only|alone)|only (?:the )?lineage",
        r"(?:ignor\w+|disregard\w*|excluding|without|no|not|leav\w+ out|skip\w*|forget|never mind|rather than|instead of) (?:counting |following |the |any )*(?:fk|keys?)",
        r"fk (?:aside|excluded|do not (?:count|matter))",
    ),
    "ONLY_FK": (
        r"(?:fk|keys?|joins?) (?:only|alone|graph)",
        r"only (?:\w+ )?(?:the |by |via |over |through )*(?:fk|keys?|joins?)",
        r"(?:ignor\w+|disregard\w*|excluding|without|no|not|leav\w+ out|skip\w*|forget) (?:counting |following |the |any )*lineage",
        r"by keys|key graph",
    ),
    "DIRECT": (
        r"direct(?:ly)?|immediate(?:ly)?|straight|(?:one|first|single|1|next)[- ](?:level|step|hop|stage)",
        r"one[- ](?:hop|step|level)|next (?:hop|step|stage)|without intermediat\w+|no intermediat\w+",
    ),
    "TRANSITIVE": (
        r"anywhere",
        r"in the end|finally",
        r"to the (?:very )?end|as far (?:back |down |up )?as|(?:in |over )?any number of (?:steps|hops|levels)",
        r"no matter how (?:many|far|deep)|arbitrar\w+|very (?:beginning|end|start)|(?:on|along) the way",
        r"indirect(?:ly)?|transitive(?:ly)?|eventual(?:ly)?|ultimate(?:ly)?|sooner or later|all the way",
        r"(?:any|all|every|whatever|full) (?:depths?|levels?|distances?|generations?)",
        r"however (?:far|deep|many|distant|remote)|recursive(?:ly)?|ripples?|second[- ]order|run through",
        r"down the (?:line|road)|multi[- ]?hop|(?<!direct )(?<!immediate )\b(?:descendants?|ancestors?)",
        r"closure",
        r"(?:full|whole|entire|complete) (?:\w+ )?(?:chain|lineage|ancestry|history|pipeline|trail|provenance|downstream|upstream|tree)",
        r"the chain|at the end of|back to|everything (?:that )?(?:\w+ )?(?:downstream|upstream|below|above)",
        r"everything (?:up|down)stream|(?:all|anything|any|every) (?:\w+ ){0,2}(?:down|up)stream",
        r"(?:down|up)stream of\b.{0,20}\bat all|end(?:s|ed)? up|cascad\w+",
        r"through (?:something|anything|other|others|intermediate)|chain of (?:deriv|lineage)\w*|lineage chain",
        r"roots?|at any point|nth",
    ),
    "FAR": (
        r"causes?|culprits?|to blame|suspects?|everything|whatever|anything",
        r"downstream|upstream|behind|depend\w*|origins?|originat\w*|consumers?|comes? from|provenance",
        r"trace[sd]?|rel(?:y|ies|ying)|reach\w*|impact\w*|below|above|based on|dependents?",
    ),
    "IMPACT": (
        r"incomplete|twice|duplicated?|damage|figures",
        r"broke",
        r"delays?|(?:have|need|must|should|has) .{0,40}\bre-?(?:load|build|run|fresh|process)\w*",
        r"chang(?:e|es|ed|ing)|modif\w+|drop(?:s|ped|ping)?|delet\w+|remov\w+|corrupt\w*|affect\w*|impact\w*",
        r"breaks?|broken|blast radius|alter\w*|truncat\w+|re-?key\w*|(?:goes|go|going|gone) away|retir\w+",
        r"deprecat\w+|renam\w+|migrat\w+|wrong|bad|stale|late|fail(?:s|ed|ure)?|delayed|contaminat\w+",
        r"poison\w*|taint\w*|ripples?|hit|re-?test|knock-?on|fallout|consequences?|suffers?",
        r"inherit\w* the problem|collateral|down for|outage|goes down|unavailable|missing|shutdown\w*",
        r"switch(?:ed)? off|turn(?:ed)? off|decommission\w*|touched?|touches|caus\w+|rework\w*|disappear\w*",
        r"gets? lost|los(?:e|es|ing)",
    ),
    "STALE": (
        r"stale|late|delayed|wrong|bad (?:load|data|rows?|values?|records?|batch)|contaminat\w+|poison\w*",
        r"taint\w*|incorrect|numbers?",
    ),
    "COUNT": (
        r"how many|(?<!any )number of|count (?:of|the)|how (?:big|large)|size of|how much|^count|number please",
        r"give (?:me )?the (?:number|count)",
    ),
    "HOPS": (
        r"^(?:\w+ )?hops? (?:between|from)",
        r"(?:min|minimum|minimal|least|smallest|fewest) (?:\. )?(?:\w+ )?(?:joins?|hops?|steps?)(?= T\d)|as a number|how long",
        r"how many (?:\w+ ){0,3}?(?:joins?|hops?|steps?|edges?|links?|fk|keys?|moves?|jumps?)",
        r"(?<!any )(?:number|count) of (?:\w+ ){0,3}?(?:joins?|hops?|steps?|edges?|links?|fk|keys?|jumps?)",
        r"how (?:far|close|distant|many apart)|(?<!any )\bdistance|how few|join count|hop count",
        r"(?:joins?|hops?|steps?) (?:away|apart)|path length|length of|degrees? of separation",
        r"one join or (?:more|several|two)|how long is|(?:joins?|hops?|steps?) (?:needed|required|necessary)",
    ),
    "PATH": (
        r"(?:go|pass|going|passing) (?:through|via)",
        r"paths?|routes?|chain|bridges?|walk|through (?:what|which)|via (?:what|which)",
        r"how (?:do|can|could|would|should|might|to|does)\b.{0,30}?\b(?:get|join|link|connect|go|relat|combin|reach|navigat|hook|tie)\w*",
        r"joins?|how (?:are|is)\b.{0,40}\b(?:related|connected|linked|joined)",
        r"(?:which|what) tables? (?:\w+ )?(?:link|connect|join|sit|stand|lie|tie|relate|are between|bridge)\w*",
        r"intermediate|in between|sequence|connecting|how .{0,20}\bget from",
    ),
    "PATH_WH": (
        r"what|which|how|write|give|show|list|name|find|shortest|quickest|minimal|fewest|print|tell",
    ),
    "CONNECT": (
        r"attach\w*",
        r"relations?|connect\w*|link\w*|related?|reach\w*|paths?|way|hang together|chain|tied?|hook\w*",
        r"associat\w+|get (?:\w+ )?(?:from|to)|go from|touch|join\w*|have anything to do|relationships?",
        r"connection|routes?|together|interlinked",
    ),
    "COMPONENT": (
        r"components?|silos?|islands?|clusters?|pieces?|blocks?|groups?|blobs?|part|subgraphs?|partitions?",
        r"neighbou?rhoods?|fragments?|buckets?|segments?|sections?|connected (?:\w+ )?(?:part|region|set)s?",
        r"worlds?",
    ),
    "GROUP": (
        r"silos?|domains?|groups?|areas?|departments?|business (?:unit|line|function)s?|teams?|divisions?",
        r"subject areas?",
    ),
    "SAME": (
        r"same|one (?:\w+ )?(?:component|silo|island|cluster|connected|part|piece|block)|shar(?:e|es|ing)",
        r"together|both (?:\w+ )?in|common|part of the",
    ),
    "DIFFERENT": (
        r"another (?:\w+ )?(?:silo|component|island|cluster|group|domain)",
        r"different|separate(?:d)?|distinct|disconnected|unconnected|unrelated|isolated from",
        r"not (?:\w+ ){0,3}?(?:connected|linked|related|joined|reachable)|apart from each other|cut off",
        r"no (?:path|way|link|connection|route|relation|relationship|chain)|not (?:in )?(?:the )?same|unlinked",
        r"detached",
    ),
    "LARGEST": (
        r"(?:largest|biggest|main|giant|dominant|greatest|most tables)|huge connected|maximal connected",
    ),
    "ORPHAN": (
        r"without (?:any |a )?(?:\w+ ){0,2}?(?:fk|lineage|links?|edges?|keys?|relationships?)|float\w*",
        r"not (?:\w+ ){0,3}?(?:linked|connected|related|tied|joined|relationships?|links?|connections?) (?:\w+ )?to (?:any|an|other)\w*",
        r"no (?:\w+ )?(?:fk|keys?|links?|edges?|lineage|relationships?|connections?|relations?)",
        r"(?:connected|linked|related|tied) to (?:nothing|no other)|orphan\w*",
        r"(?:not|nothing|neither|without|no) (?:\w+ ){0,5}?(?:linked|connected|related|links?|connections?|edges?|lineage|fk) (?:\w+ )*?(?:to |with )?(?:any|anything|any other|nothing|other)?\b(?:\w* ?(?:table|else))\w*",
        r"stand(?:s|ing)? alone|standalone|isolated tables?|isolated|loose tables?|on (?:its|their) own",
        r"(?:neither|without|no) (?:\w+ ){0,3}?(?:fk|keys?|links?|edges?|lineage)|dangl\w+|unlinked",
        r"not (?:linked|connected|related) to anything|unconnected tables?|disconnected tables?|lonely",
        r"lone tables?|connected to nothing|linked to nothing",
    ),
    "BOOLEAN": (
        r"(?:^|[.,:;?!] |- |^hey |^so |^and |^ok |^quick question )(?:(?:T\d+ (?:and|vs|versus|&|/|or) T\d+|T\d+)[ ,:-]+)?(?:is|are|was|were|do|does|did|can|could|would|will|should|has|have|any|might|may)",
        r"yes / no|yes or no|true or false|(?:y / n)|is (?:that|there|it)|are (?:they|these|those|there)",
        r"do they|can they|whether|if T\d+ and T\d+ are|, right \?|is T\d+|does T\d+|do T\d+|are T\d+|can T\d+",
    ),
    "ANY_CHAIN": (
        r"any\b.{0,12}\b(?:chain|series|sequence|number|way|path|route|kind|link|connection|at all)",
        r"some (?:chain|way|path|series|route|sequence)|eventually|indirect\w*|somehow",
        r"however (?:long|indirect\w*|many)|at all|chains?|via other|through other|in any way|series of",
        r"reach\w*|multi[- ]?hop|transitively",
    ),
    "LIST": (
        r"(?:which|what|list|name|show|enumerate|give|who|print|tell|find|display|return|identify|complete list|where|everything|all|every)",
    ),
    "CYCLE": (r"cycles?|cyclic|circular\w*|loops?",),
    "CUT": (r"cut (?:tables?|points?|vertices|vertex)|articulation|single points? of failure",),
    "ROOTS": (
        r"(?:no|without) (?:any )?(?:upstream|lineage source|source)s?|root tables?|ultimate sources?",
        r"entry points?",
    ),
    "BOTH_DIRECTIONS": (
        r"(?:either|both|any) directions?|in whichever direction|undirected|regardless of direction",
        r"direction does not matter|ignoring (?:edge )?direction",
    ),
    "FK_LINKED": (
        r"by both\b.{0,40}\bfk",
        r"(?:linked|connected|adjacent|tied|related|attached|joined)(?: \w+){0,5} (?:by|via|through|over|with) (?:an? |any |the |their )?(?:fk|keys?)",
        r"fk (?:linked|connected|adjacent|neighbou?rs?)|fk - (?:linked|connected|adjacent)",
        r"(?:linked|connected|adjacent|tied|related|attached) (?:\w+ )?(?:by|via|through|over|with) (?:an? |any |the |their )?(?:fk|keys?)",
        r"shar(?:e|es|ing) (?:an? |the )?(?:fk|keys?)|through the fk of|fk neighbou?rs?",
        r"one fk (?:step|hop) (?:away|from)|through both\b.{0,40}\bfk",
        r"joined (?:to|with) (?:them|those|any|one)",
        r"the fk of (?:the |all |any )?(?:touched|affected|those|these|impacted)|via both\b.{0,40}\bfk",
        r"fk link\w* (?:to|with)",
    ),
    "FK_CHILDREN": (
        r"referenc(?:e|es|ing)",
        r"(?:hold|holds|holding|have|has|having|carry|carries|carrying|with|own|owns|owning) (?:an? |the |some |their |any )?(?:fk|keys?)",
        r"fk (?:dependents?|children|child|dependency on|pointing|points?|that points?|onto|into|to|on)",
        r"fk point\w*|whose fk|depend\w* (?:on .{0,30} )?(?:by|via|through) (?:an? )?(?:fk|keys?)|key into",
        r"fk to (?:it|any|one|an)|by fk|keyed? (?:to|on)|via an fk onto|child tables?",
        r"point(?:s|ing)? (?:at|to)|fk - dependents?|have an? (?:\w+ )?fk|fk dependen\w+|fk child\w*",
        r"fk and lineage (?:dependents?|children)",
    ),
    "COMMON": (r"both|common|shared?|each of|mutual\w*|jointly|in common|as well as",),
    "ALL_PATHS": (
        r"all (?:the |of the |possible |equally )*(?:shortest |short |minimal )?(?:paths?|routes?|ways|join paths?)",
        r"every (?:shortest )?(?:path|route|way)|alternative (?:\w+ )?(?:paths?|routes?)",
        r"how many (?:\w+ )?(?:shortest )?(?:paths?|routes?|ways)",
    ),
    "NEIGHBOURS": (
        r"neighbou?rs?|adjacent|next to|directly (?:connected|linked|joined|related)|join(?:ed|s)? directly",
    ),
    "MEMBERS": (
        r"reached",
        r"companions?|in one (?:component|silo|island|cluster)|get to",
        r"rest of|any mix|any combination|same|mates?|shar(?:e|es|ing)|hang(?:s|ing)? together",
        r"however indirect\w*|reachable|connected (?:\w+ ){0,3}?(?:to|with)|what else",
        r"other (?:tables?|members?)|contain\w*|members?|belong\w*|around|includ\w*|holds?|with T\d+|of T\d+",
        r"in T\d+ 's|live\w*|sits?|T\d+ 's|comes? together|together with",
    ),
    "PIECES": (
        r"disconnected|unconnected|connected components?|separate\w*|islands?|fall\w* apart|pieces?|clusters?",
        r"components?|isolated (?:groups?|parts?|subgraphs?|clusters?|sets?)|independent|disjoint|subgraphs?",
        r"one piece",
    ),
    # Form of the answer
    "LISTS_TABLES_OF_T": (r"(?:which|list|name|show)\b.*\bT\d|how many\b.*\bwhich",),
    # The whole graph
    "ASKS_SCHEMA_SIZE": (
        r"^how many tables (?:are there|do we have|does (?:this|the) schema have|exist|are in (?:this|the) (?:schema|graph|database))(?: in (?:this|the) \w+)? ?\??$",
    ),
    "ONE_SIDED_LINKS": (
        r"(?:incoming|outgoing|inbound|outbound|upstream|downstream|parents?|children|sources?|targets?|referenc\w+)",
    ),
    "FLOW_WORDS": (
        r"(?:feeds?|fed|flow\w*|derived|depend\w*|loaded from|populat\w+|upstream|downstream|sources? of|read|reads|built)",
    ),
    "WHOLE_SCHEMA": (r"(?:everything|whole|entire|all|schema|fully)",),
    "COUNTS_PARTS": (r"components?|silos?|how many (?:\w+ )?(?:islands?|pieces|groups?|clusters?)",),
    "ASKS_HOW_MANY_PARTS": (r"(?:one|single|\d+) pieces?\b.*\bor|how many|number of|into",),
    "PER_PART": (r"tables?\b.*\bin (?:each|every)|per (?:silo|component)",),
    "ASKS_IF_WHOLE": (
        r"(?:fully|all|entirely|completely|everything|whole|single|one)\b.*\b(?:connected|piece|component)",
    ),
    "LABELLED_THINGS": (
        r"(?:belongs?|contains?|list|tables?|layer|members?|views?|files?|silo|domain|group|area|size|marts|contents?|in|of|all|has|have)",
    ),
    # One table
    "ASKS_WHO_SUFFERS": (
        r"wrong figures|(?:be|are|is) off|damage|need (?:an? )?(?:refresh|reload|rebuild)",
        r"affect\w*|impact\w*|breaks?|broken|blast radius|hit|touched|re-?test|ripples?|knock-?on|fallout",
        r"consequences?|suffers?|inherit\w*|contaminat\w+|stale|wrong numbers|collateral|lose|rework\w*|fail",
        r"cascad\w*|poison\w*|taint\w*|gets? (?:hurt|lost)",
        r"be (?:updated|checked|changed|adapted|rebuilt|re-?loaded|refreshed|fixed|wrong|incorrect|late)",
        r"care about|die|delays?|carry|wrong (?:data|values|results|rows)",
        r"re-?(?:load|build|run|fresh|process)\w*|notice|worry|feel",
    ),
    "HYPOTHETICAL": (r"if (?:they|it|one|any)|could|can|would|might|changes?",),
    "KEYS_OF_DERIVED_ONLY": (
        r"(?:not|excluding|except|without|ignoring)\b[^.;]*\b(?:keys?|fk|referenc\w+)\b[^.;]*\b(?:on|to|of) T1",
        r"(?:of|to|onto|on) (?:the |those |any |these )?(?:derived|downstream|lineage)(?:-\w+)? (?:tables?|targets?|ones?)(?: only)?",
    ),
    "KEYS_TO_T": (
        r"(?:referenc(?:e|es|ing)|point(?:s|ing)? (?:\w+ )?(?:at|to)|fk (?:\w+ ){0,3}?(?:to|on|into|onto|pointing (?:at|to)|that points? (?:at|to)|referencing)|key (?:\w+ )?(?:to|into|on(?:to)?)|keyed (?:to|on)) T1",
        r"T1 (?:is |be |get |gets )?referenced (?:by|from|in)|is T1 referenced",
        r"(?:fk )?(?:children|child tables|dependents|referrers) (?:\w+ )?(?:of|by fk on) T1\b.*",
        r"T1 's (?:fk )?(?:children|child tables|referencing tables)|incoming fk|fk (?:in|into|towards?) T1",
    ),
    "KEYS_FROM_T": (
        r"T1 (?:\w+ )?(?:reference|references|point|points|have|has|hold|holds|carry|carries) (?:\w+ )*(?:fk )?(?:\w+ )*(?:to|at|on|into)?",
        r"does T1 (?:\w+ )?(?:reference|point|have|hold|carry)",
        r"T1 's (?:fk )?(?:parents|parent tables|referenced tables|fk)",
        r"(?:fk )?parents? (?:tables? )?(?:of|for) T1|referenced (?:by|from|in) T1|outgoing fk",
        r"fk (?:on|in|of|from|declared on|defined on|held by) T1|T1 fk",
    ),
    "INCOMING_KEYS": (r"incoming|inbound|T1 as (?:an? |their |the )?(?:fk )?(?:\w+ )?parent\w*",),
    "KEYS_EITHER_WAY": (
        r"shar(?:e|es|ing) (?:an? )?fk|fk (?:with|between)|either direction|fk neighbou?rs",
        r"fk (?:partners|related)|(?:linked|connected|related) (?:directly )?(?:by|via|through) (?:an? )?fk",
        r"(?:by|via|through|over) (?:an? )?fk",
    ),
    "T_ALONE": (
        r"T1\b.*\b(?:orphan\w*|isolated|standalone|alone|unlinked|linked|connected|lonely|links?|keys?|island)",
        r"orphan",
    ),
    "T_LINKED_TO_ANY": (
        r"T1 (?:\w+ )?(?:connected|linked|related|tied|joined) (?:\w+ )?to (?:anything|any\b|something|another|other)\w*",
        r"T1 (?:have|has) (?:any|a|some) (?:\w+ )?(?:links?|connections?|edges?|relations?|relationships?)",
    ),
    "T_AND_WORD": (r"T1\b (?:and|or|to|->|vs|versus|&|with) (?!T\d|L\d|G\d|S\d)(\w+)\w*",),
    "ASKS_FOR_MEMBERS": (r"tables?|who|members?|mates?|what else|rest|everything|all",),
    "COMPONENT_NOUN": (
        r"(?:components?|silos?|islands?|clusters?|pieces?|blocks?|groups?|domains?|part|subgraph|section|segment|neighbou?rhood|partition|blob|fragment)",
    ),
    "CONNECTED_WORD": (r"(?:connected|reach\w*|linked|related|get to|hang\w*|tied|joined|joinable)",),
    "BY_ANY_CHAIN": (
        r"however|indirect\w*|transitively|ignoring (?:edge )?direction|any (?:way|chain|path|number|means)",
        r"at all|somehow|any kind of|either kind|in any|chain|directly or not|any sequence",
        r"any (?:mix|direction|combination)|hang\w* together|direction (?:is )?ignored",
        r"regardless of (?:edge )?directions?|undirected",
    ),
    "WHOLE_COMPONENT_OF_T": (
        r"(?:contain\w*|includ\w*|holds?|holding)",
        r"(?:silo|component|island|cluster|piece|block|group) (?:of|with|around|that has) T1\b.*\b(?:all|list|every|entire|full|whole)",
        r"(?:all|every|entire|full|whole|complete)\b.*\b(?:members?|tables?)\b.*\bT1 's",
        r"T1 's (?:\w+ )?(?:component|silo|island|cluster)",
        r"(?:members?|membership|tables?) of (?:the )?(?:\w+ )?(?:component|silo|island|cluster)",
        r"T1 (?:is in|is part of|belongs to|lives in|sits in)",
    ),
    "ASKS_ORIGIN": (r"from|sources?|feed(?:s|ing)?|upstream|inputs?",),
    "SOMETHING_AFFECTS_T": (
        r"(?:affects?|impacts?|breaks?|influences?|touch(?:es)?|can break|could break|would break|corrupts?|cause[sd]?|contaminates?|change[sd]?) T1",
    ),
    "AFFECTED_BY_KEY": (
        r"(?:affected|hit|impacted|break|touched) (?:\w+ )?(?:by|via|through) (?:an? )?(?:fk|keys?)",
    ),
    "KEYS_TOO": (r"(?:including|includes?|plus|also|with|and|as well as) (?:all |the |its |their )?fk",),
    "KEYS_ALONE": (
        r"(?:only|just|alone)|by (?:an? )?fk|via fk|through (?:an? )?fk|because they reference",
        r"reference[sd]? T1|fk (?:to|on|into|onto) T1|fk (?:children|dependents)",
    ),
    "ULTIMATE_SOURCES": (r"(?:ultimate|root|original) (?:sources?|origins?|inputs?)",),
    "ASKS_FOR_TABLES_BESIDE_T": (
        r"which tables?|what tables?|same|other|else|rest|mates?|tables? (?:are|is|belong|live|sit)\w*",
        r"(?:tables|members?|everything|contents?)\b.*\b(?:silo|domain|group|area)\w*",
        r"(?:list|name|show|give|print)\b.*\btables|companions?",
    ),
    "ASKS_WHAT_HAPPENS": (r"what (?:else )?happens|downstream|who (?:cares|feels|notices)",),
    "T_CHANGES": (
        r"T1 (?:is|was|were|are|gets|got|goes|changes|breaks|fails|has|being|modified|changed|dropped|disappear\w*)",
        r"(?:drop|change|alter|modify|rename|delete|remove|truncate|break|re-?key|retire|deprecate|migrate|if \w+ (?:change|break|drop|modify)s?)\w* T1",
        r"(?:change|changes|modification|changing|problem|outage|failure) (?:in|to|of|on) T1",
    ),
    "REACHES_FURTHER": (r"downstream|feed\w*|flows?|affected|hit|impacted",),
    "KEYS_TO_THOSE": (
        r"(?:of|to|at|onto|into|on|reference|referencing) (?:any of |one of )?(?:those|them|these|that|the derived)",
    ),
    "JOINS_WITH_T": (
        r"join\w* (?:\w+ )?(?:to|with) T1|T1 (?:be )?(?:\w+ )?(?:joined|joins?|join) (?:\w+ )?(?:to|with)",
        r"can T1 (?:be )?join\w*|joinable",
    ),
    "TOWARDS_T": (r"(?:reference|references|referencing|to|at|on|into) T1",),
    # Two tables
    "ASKS_FOR_PATH": (
        r"(?:shortest|quickest|minimal|fewest|smallest|best|simplest|cheapest|full|optimal)\b.*\b(?:paths?|routes?|chain|joins?|bridge|way|sequence|list)",
        r"(?:through|via|over) (?:what|which)|^(?:please )?how",
        r"how T\d+ (?:\w+ )?(?:connect|relat|link|join)\w*",
        r"tables? .*\bto (?:relate|connect|join|link|combine) T\w*|[.,:;] how",
        r"how (?:do|can|could|would|should|might|to|does)",
        r"what is the (?:\w+ ){0,3}?(?:paths?|route|bridge|join|chain|link|connection)",
        r"(?:which|what) tables?\b.*\b(?:link|connect|join|between|bridge|walk|through|via|cross|traverse|sit|relate|tie)\w*",
        r"(?:list|write|give|show|name|find|print|tell|display|return|need|want)\b.*\b(?:path|route|chain|joins?|sequence|way)",
        r"^(?:the )?(?:\w+ )?(?:path|route|chain|join path)|what (?:\w+ ){0,5}?(?:joins?|chain|path|route)",
        r"which (?:\w+ )?(?:joins?|chain|path|route)|in between|join order",
    ),
    "DEPENDS": (r"depend\w*|rel(?:y|ies)|uses?|affect\w*|impact\w*|breaks?|need\w*",),
    "LINKED_TO_BOTH": (r"tables? (?:\w+ ){0,3}?(?:connected|linked|related|joined|tied) (?:\w+ )?(?:to|with) (?:both )?T\d+ and T\d+",),
    "NAMES_KEYS": (r"fk|keys?|referenc\w+|joins",),
    "APART": (r"disconnected|unconnected|unrelated|isolated|detached|unlinked|cut off|separate from each other",),
    "ASKS_WHAT": (r"^(?:which|what|who|list|name|enumerate|print)\b(?!.*(?:yes or no|true or false|yes / no|whether))|(?:[.?!:;,]|-) (?:but |and |so )?(?:which|what|list|name|enumerate)",),
    "STARTS_WITH_WH": (r"^(?:\w+ )?(?:which|what|who|how|list|name|show|give|by how|where)",),
    "BOTH_POLARITIES": (
        r"different\b.*\bsame|same\b.*\b(?:different|separate)",
        r"connected\b.*\b(?:or|vs)\b.*\b(?:disconnected|isolated|separate|unconnected)",
    ),
    "THROUGH_A_TABLE": (r"via T\d|through T\d|over T\d|using T\d|pass\w* (?:through|by) T\d",),
    "ENUMERATION": (
        r"T\d+ (?:,|and|&|\+|or|with|to|->)(?: and| then| to)? T\d+ ?(?:,|and|&|\+|with|to|->)\w*",
    ),
    "SHORTEST": (r"shortest|minimal|fewest|equally|short|alternative",),
    "COUNTS_KEYS": (
        r"fk (?:are there|exist|constraints?)?(?: from| between) T\d",
        r"how many fk\b(?! (?:joins?|hops?|steps?|links?|edges?))\w*",
    ),
    "REFERENCES_BOTH": (
        r"referenc(?:e|es|ing) both|fk (?:to|on|into|onto) both|point(?:s|ing)? (?:to|at) both",
    ),
    "REFERENCED_BY_BOTH": (
        r"both (?:T\d+ and T\d+ )?referenc\w+|T\d+ and T\d+ both referenc\w+|referenced by both",
    ),
    "SOURCE_NOUNS": (r"(?:sources?|inputs?|ancestors?|upstream|origins?|parents?|feeds)",),
    "OVER_A_CHAIN": (
        r"any (?:chain|series|sequence|number) of|chain of (?:fk|keys|joins)|indirect\w*|transitively",
    ),
    "ONE_KEY": (r"(?:an?|any|one|single) (?:\w+ )?(?:fk|key)|share",),
    "LINEAGE_PATH": (
        r"lineage (?:path|route|chain|connection|link)\b.*\bfrom T\d+ to T\d+",
        r"from T\d+ to T\d+\b.*\b(?:lineage|flow)",
    ),
    "NOT_DIFFERENT": (r"not (?:\w+ ){0,2}?(?:different|separate|disconnected|unconnected|isolated)",),
    "NEGATED_QUESTION": (r"^(?:is|are|do|does|can|could|would|has|have) (?:\w+ )?not",),
    "ALONG_A_PATH": (
        r"path|needed|apart|away|hops?|joins?|steps?|get|chain|travers\w*|cross|follow|walk",
        r"go (?:through|over|along)",
    ),
    "TARGET_NOUNS": (r"(?:targets?|consumers?|descendants?|downstream|children)",),
    "FROM_TO": (r"T\d+ (?:->|\.\.\.) T\d+|join\w*|from T\d+ to T\d+",),
    "KEY_STATEMENT": (r"T\d+\b.*\b(?:has|have|references|points)\b.*\bT\d+|^(?:any |an? |direct )*fk|->",),
    "STRUCTURAL_PART": (r"components?|clusters?|islands?|connect\w*|link\w*",),
    # Rows
    "ROW_TROUBLE": (
        r"(?:delet\w+|remov\w+|chang\w+|modif\w+|corrupt\w*|wrong|bad|affect\w*|los(?:e|es|ing)|impact\w*|updat\w+|drop\w*|gone|goes away|erase\w*|correct\w*|broken|contaminat\w+|invalid\w*|stale|retract\w+|purg\w+)",
    ),
    "ROW_SOURCE_NOUNS": (r"(?:sources?|ancestors?|upstream|origins?|inputs?)",),
    "ROW_DOWN": (r"downstream|descend\w*|end(?:s|ed)? up in (?:which|what)",),
    "ROW_UP": (
        r"(?:provenance|history|origin\w*|ancest\w+|upstream|processed|trace|behind|came from|come from|lineage of|pass(?:ed|es)? through|went into T\d+|flow(?:ed)? through)",
    ),
    "ROW_WENT_INTO_T": (
        r"processed|end(?:s|ed|ing)? up in T\d|went into T\d|provenance (?:chain )?of T\d|origin\w*",
    ),
}  # fmt: skip
"""What a question talks about. A tag holds if one of its alternatives is found."""

KEY_ROLES = (
    r"\bon (?P<c>T\d+)(?: ,)? (?:\w+ ){0,2}?(?:an? )?fk (?:to|on|into) (?P<p>T\d+)",
    r"\bhas (?P<c>T\d+) (?:got )?(?:an? |any )(?:\w+ ){0,2}?(?:fk|keys?) (?:\w+ )?(?:on|to|into|onto|for|at) (?P<p>T\d+)",
    r"(?P<p>T\d+)\b(?!.*\b(?P=p)\b).*?(?:fk|keys?|constraint) (?:that is )?(?:declared|defined|held|located|sitting|living) (?:in|on|by) (?P<c>T\d+)",
    r"(?P<p>T\d+) (?:\w+ )?among (?:\w+ )*?(?P<c>T\d+) (?:\w+ )?references",
    r"(?P<p>T\d+) among (?:\w+ ){0,4}?(?:referenced|targets|parents) (?:by|of) (?P<c>T\d+)",
    r"(?P<c>T\d+) to (?P<p>T\d+) (?:[:,-] )?(?:is there )?(?:an? |any )?(?:direct )?fk",
    r"(?P<c>T\d+) (?:\w+ ){0,5}?(?P<p>T\d+) (?:\w+ ){0,5}?(?:own|its) (?:\w+ )?(?:fk|keys?)\b",
    r"(?P<c>T\d+) (?:\w+ ){0,5}?(?P<p>T\d+) (?:\w+ ){0,4}?(?:fk|keys?) of its own\b",
    r"(?P<c>T\d+) (?:\w+ ){0,2}?child(?: ,| and| /)+ (?P<p>T\d+) (?:\w+ ){0,2}?parent",
    r"(?P<p>T\d+) (?:\w+ ){0,2}?parent(?: ,| and| /)+ (?P<c>T\d+) (?:\w+ ){0,2}?child",
    r"(?P<c>T\d+) (?:have|has) (?P<p>T\d+) as (?:an? |its |the )?(?:\w+ ){0,2}?parent",
    r"(?P<p>T\d+) (?:have|has) (?P<c>T\d+) as (?:an? |its |the )?(?:\w+ ){0,2}?child",
    r"(?P<p>T\d+) (?:the |a )?(?:table )?(?:that |which |where |what )(?:\w+ ){0,4}?(?:fk|keys?|constraint) (?:of|in|on|from) (?P<c>T\d+) (?:points?|refers?|leads?|goes|targets)",
    r"(?P<c>T\d+) (?:\w+ ){0,4}?(?:referenc(?:e|es|ing)|target(?:s|ing)?|point(?:s|ing)? (?:\w+ )?(?:at|to)|refers? to) (?:\w+ ){0,2}?(?P<p>T\d+)",
    r"(?P<c>T\d+) (?:\w+ ){0,4}?(?:have|has|hold|holds|carry|carries|own|owns|contain|contains|include|includes|declare|declares|define|defines) (?:\w+ ){0,4}?(?:fk|keys?|references?|constraint) (?:\w+ ){0,4}?(?:to|on|into|onto|at|for|against|towards?|referencing|of) (?P<p>T\d+)",
    r"\b(?:fk|keys?|constraints?|references?) (?:\w+ ){0,3}?(?:from|on|in|of|inside|by|out of) (?P<c>T\d+) (?:\w+ ){0,4}?(?:to|at|onto|into|on|towards?|referencing|references|pointing|targets|targeting|->) (?:\w+ ){0,2}?(?P<p>T\d+)",
    r"\b(?:fk|keys?|references?|constraints?) (?:\w+ ){0,4}?(?:to|at|onto|into|on|towards?|referencing|for) (?P<p>T\d+) (?:\w+ ){0,4}?(?:in|on|from|inside|of|by) (?P<c>T\d+)",
    r"\bfrom (?P<c>T\d+) (?:straight |directly )?(?:to|into|onto) (?P<p>T\d+) (?:\w+ ){0,3}?(?:over|via|by|through|with|using|along) (?:an? |one |just one |its own )(?:\w+ ){0,2}?fk",
    r"(?P<c>T\d+) 's (?:\w+ ){0,3}?(?:fk|keys?|references?) (?:\w+ ){0,3}?(?:to|at|onto|into|on|referencing) (?P<p>T\d+)",
    r"(?P<c>T\d+) (?:\w+ ){0,3}?(?:a |the |direct |fk )*(?:child|dependent)(?: table)? (?:\w+ )?of (?P<p>T\d+)",
    r"(?P<c>T\d+) (?:\w+ ){0,2}?keyed (?:\w+ )?(?:to|on|into) (?P<p>T\d+)",
    r"(?P<c>T\d+) (?:-> )(?P<p>T\d+) (?:\w+ ){0,4}?fk\b",
    r"\b(?:fk|keys?) (?:\w+ ){0,2}?(?P<c>T\d+) -> (?P<p>T\d+)",
    r"(?P<c>T\d+) ->(?: :| ,)? (?P<p>T\d+) .*\bfk\b",
    r"(?P<p>T\d+) (?:\w+ ){0,3}?(?:referenced|pointed (?:at|to)|targeted) (?:\w+ ){0,3}?(?:by|from|in) (?:\w+ ){0,4}?(?P<c>T\d+)",
    r"(?P<p>T\d+) (?:\w+ ){0,3}?(?:parent|target|referenced table)(?: table)? (?:\w+ ){0,6}?(?:of|on|in|for|from) (?P<c>T\d+)",
    r"(?P<p>T\d+) 's (?:\w+ ){0,2}?(?:child|children)(?: tables?)? (?:\w+ ){0,3}?(?P<c>T\d+)",
    r"\bparent of (?P<c>T\d+) (?:\w+ ){0,3}?(?P<p>T\d+)",
)  # fmt: skip
"""Which of two tables holds a key (c, the child) and which is referenced (p, the parent); the first that is found decides."""

TROUBLE = (
    r"\b(?:chang\w+|drop\w*|remov\w+|delet\w+|modif\w+|alter\w*|problem|failure|error|issue|corrupt\w*|renam\w+|truncat\w+)(?: in| to| of| on)? (T\d+)\b.*\b(?:affect|impact|break|touch|hit|influence|hurt|reach|matter)\w*(?: to| for)? (T\d+)",
    r"\bif (T\d+) .*\b(T\d+) (?:be |get |is |gets |also |also be )?(?:affected|impacted|break|broken|stale|wrong|hit|change|suffer|fail|notice|touched|contaminated|corrupted|late)\w*",
    r"(T\d+) (?:affect|impact|break|influence)s? (T\d+)",
)  # fmt: skip
"""A change in the first table may affect the second."""

TROUBLE_REVERSED = (
    r"\b(?:affect|impact|break|influence|hit|hurt|touch)\w* (T\d+) .*\b(?:if|when|after)\b.* (T\d+)",
    r"\b(?:is|will|would|are|does|can|could) (T\d+) (?:be |get |also )*(?:affected|impacted|break|broken|stale|wrong|hit|change|suffer|fail|notice|touched|contaminated|corrupted)\w* (?:if|when|by|after|once) .*(T\d+)",
)  # fmt: skip
"""A change in the second table may affect the first."""
