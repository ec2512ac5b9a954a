"""Vocabulary and grammar of questions about a schema graph, as data.

Patterns run over a question in canonical form: lower case, with every table written T1, T2 …, every row R1 …, every layer
L1 …, every group G1 …, every database or schema S1 …, and every other known column C1 …. Nothing here names a table of any
schema.
"""

from __future__ import annotations

import re

CONTRACTIONS = (
    (r"\bcan't\b", "can not"),
    (r"\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(what|who|where|which|how|that|there|here|it|he|she|when)'s\b", r"\1 is"),
    (r"\blet's\b", "let us"),
    (r"'(?:re)\b", " are"),
    (r"'(?:ve)\b", " have"),
    (r"'(?:ll)\b", " will"),
    (r"'(?:d)\b", " would"),
    (r"'(?:m)\b", " am"),
)

SHIELDS = (
    r"(?:foreign[- ]keys?|fks?|lineage|key|parent[- ]child|direct|any|some|a|what|no|kind of) relationships?(?! table)",
    r"the relationships? (?:between|of|among)",
    r"data (?:warehouse|stores?|domains?|sources?|items?|notes?|points?)",
    r"(?:in|of|across|on) the warehouse(?! table)",
    r"warehouse (?:tables?|side|layer|load|schema)",
    r"(?:business|data|subject|same|which|what|each|every|one|whole) (?:domain|area|location)s?",
    r"(?:please |take |side )note(?: that)?|(?<![a-z0-9_] )note(?: that|:)",
    r"(?<![a-z0-9_] )in person|(?:met|meet|meeting|talk|talked|discuss|discussed) in person|per person|the person (?:who|responsible)",
    r"(?:for (?:some|any|that|this|the|no|what|whatever) |the |any |some |a good )reasons?(?! table)",
    r"at (?:any|no|the|what|all) costs?|cost of (?:a|an|the|this|that) (?:join|change|path|query)",
    r"(?:at|for|in|over|all|some|any|this|each|every|one|next|same|first|last|long|real|response|run|down) time",
    r"up to date|to date|out of date",
    r"(?:each|every|single|line|list|action|todo) items?",
    r"(?:in|of|about) (?:stock|store for)|stored (?:in|by|as|procedure)",
    r"(?:table|schema|graph|lineage|column|the) metadata(?! table)",
    r"my observation|observation that|by observation",
    r"customers? (?:complain|call|ask)\w*",
)
"""Ordinary phrases in which a word is not a table even if a table has that name."""

REWRITES = (
    (r"\b(?:the )?(?:two |three |both )?tables (?=T\d+ (?:and|or|,|&|to|with|vs)\b)", ""),
    (r"\bthe (T\d+) (?:feed|load|job|script|process|pipeline)\b", r"\1"),
    (r"\bforeign[- ]keys?\b", "fk"),
    (r"\bfk['s]*\b", "fk"),
    (r"\bf\.k\.s?\b", "fk"),
    (r"\b(?:fk )?(?:key )?constraints?\b(?= (?:from|between|on|to|that|pointing|declared|defined)\b)", "fk"),
    (
        r"\bfk (?:relationships?|relations?|constraints?|links?|dependenc(?:y|ies)|connections?)\b",
        "fk",
    ),
    (r"\b(?:data[- ]?flows?\b(?! (?:in)?to\b| from\b)|etl|elt|pipelines?|data lineage)\b", "lineage"),
    (
        r"\blineage (?:relationships?|relations?|links?|connections?|dependenc(?:y|ies)|paths?)\b(?! from| to| between)",
        "lineage",
    ),
    (r"\bfk (?:or|and|plus|\+|&|/) lineage\b|\blineage (?:or|and|plus|\+|&|/) fk\b", "fk and lineage"),
    (
        r"(?<=T\d) (?:'s )?(?:tables?|views?|source files?|files?|datasets?|extracts?|itself|source table)\b",
        "",
    ),
    (
        r"(?:(?<=^)|(?<= ))(?:the |a |an |this |our |my |table |view |file |dataset |source file |called |named |just )+(?=T\d)",
        "",
    ),
    (
        r"(?<=T\d) (?:data|rows?|records?|contents?)\b(?! (?:flow|reach|end|propagat|go|get|land|feed|come))",
        "",
    ),
    (
        r"(?<!their )(?<!its )(?<!get )(?<!gets )(?<!which )(?<!what )(?<!many )\b(?:data|rows|records|information|anything|something|any data|values?) (?:from|of|in) (?=T\d+(?! R\d))",
        "",
    ),
    (r"(?<=T\d) (?:data|rows?|records?)\b", ""),
    (r"\b(?:an? |any |each |every |some )(?:rows?|records?|columns?) (?:in|of) (?=T\d+(?! R\d))", ""),
    (
        r"\b(?:directly|direct|straight)(?: ,)? (?:or|and) (?:via|through|over|by way of|across) (?:\w+ ){0,2}?(?:tables?|steps?|others?|intermediates?|stages?)\b",
        "transitively",
    ),
    (
        r"\b(derived|built|loaded|populated|fed|computed|generated|made|sourced) [.,;:?-] (?=(?:from|by|out of)\b)",
        r"\1 ",
    ),
    (r"\b(?:the )?(?:data )?(?:warehouse|schema|database|lake) 's (?=T\d)", ""),
    (r"\b(?:S\d+|L\d+|G\d+) 's (?=T\d)", ""),
    (r"\b(?:directly|direct) (?:or|and|and/or) (?:indirectly|indirect|transitively)\b", "transitively"),
    (r"\b(?:indirectly|indirect|transitively) (?:or|and) (?:directly|direct)\b", "transitively"),
    (r"\bdirect / indirect\b", "transitively"),
    (
        r"\b(?:directly|direct)(?: ,)? or (?:not|otherwise|remotely|further (?:down|up)|later)\b",
        "transitively",
    ),
    (r"\b(?:over |in |through )?one or (?:more|several|many) (?:steps|hops|levels|stages)\b", "transitively"),
    (r"\bfirst(?:-hand)? (?:or|and) second(?:[- ](?:hand|order|level|degree))\b", "transitively"),
    (r"\bno matter how (?:many|far|deep|indirect|remote|long)\b(?: (?:hops|steps|levels))?", "transitively"),
    (r"\b(?:straight|directly) or through\b", "transitively through"),
    (r"\b(?:both )?(?:directly and indirectly)\b", "transitively"),
    (r"\byes (?:/|or) no\b", "true or false"),
)
"""Rewritten in this order, each until the text stays as it is."""

EXCEPT_ITSELF = r"(?:leav\w+|excluding|except|without|besides|other than|not counting|not including|apart from|minus) T\d+(?: out)?"
"""An exception that is harmless where only one table is named."""

HARMLESS_NEGATIONS = (
    r"not (?:just|only|merely|the other way(?: round| around)?|vice versa)\b[^.;?!]*",
    r"(?:i|we) do not (?:care|mind|need|want|know)[^.;?!]*",
    r"(?:do not|no need to) (?:count|include|follow|list|show|bother|worry)[^.;?!]*",
    r"no matter[^.;?!,]*",
    r"or not\b",
    r"why not\b",
    r"without (?:any )?(?:model|sql|guessing|writing)",
)
"""Negations that leave the question as it is. Those about edge kinds are read before (see ONLY_LINEAGE, ONLY_FK)."""

OUT_OF_SCOPE = (
    (
        r"\b(?:and|with|including|plus) (?:all )?(?:of )?(?:their|its) (?:columns?|fields?|attributes?|types?|rows?|sizes?|owners?)\b",
        "columns",
    ),
    (
        r"\b(?:have|has|share|shares|same|common|related|matching|similar)\b.*\b(?:columns?|fields?|attributes?)\b",
        "columns",
    ),
    (
        r"\b(?:in|with|by|via|over|using|exactly|at) (?:only |just |exactly |at most )?(?:\d+|two|three|four|five|six) (?:\w+ )?(?:joins?|hops?|steps?|levels?|fk|keys?)\b|\bof length\b",
        "a given number of steps",
    ),
    (
        r"\b(?:only|sole|solely|exclusively) (?:lineage |direct )?(?:sources?|inputs?|parents?|feeds?|targets?|consumers?|child|children|upstream|downstream)\b(?! (?:table|tables) (?:names?|please))|\b(?:only|solely|exclusively) (?:by|from|on|of) T\d|\b(?:depend|fed|feed|derived|loaded|built|read|referenc)\w* (?:only|solely|exclusively)\b(?! the)",
        "what is exclusive",
    ),
    (
        r"\b(?:final|terminal|leaf|last|very first|first) (?:tables?|targets?|products?|consumers?|outputs?|nodes?)\b",
        "the ends of a chain",
    ),
    (
        r"^should (?:i|we|one|you)\b|\b(?:better|worse|preferable|recommend\w*|advisable|good idea)\b",
        "advice",
    ),
    (
        r"\b(?:which|what|list|name|show|how many|all|each)\b (?:\w+ ){0,2}?(?:columns?|fields?|attributes?)\b",
        "columns",
    ),
    (
        r"\bcolumn[- ](?:level )?lineage\b|\bdata ?types?\b|\bprimary keys?\b|\bnullable\b|\bindex(?:es)?\b|\bsurrogate\b|\bnot null\b",
        "columns",
    ),
    (r"\b(?:how many|number of) (?:rows|records|entries|lines)\b(?! .*\bR\d)", "numbers of rows"),
    (
        r"\bwhen (?:was|were|is|did|does|do|will)\b|\blast (?:updated|refreshed|loaded|modified|run)\b|\bhow (?:often|old|long ago|long does)\b|\bwhat time\b|\bschedul\w+",
        "times",
    ),
    (
        r"\bwho (?:owns|created|wrote|maintains|built|is responsible|approved)\b|\bowner\b|\bcontact\b|\bcolleagues?\b",
        "people",
    ),
    (r"\bwhy\b", "reasons"),
    (
        r"\b(?:average|median|total (?:sales|revenue|cost|amount)|sum of|maximum|max|min value|percent\w*)\b",
        "values",
    ),
    (
        r"\b(?:most|least|highest|lowest|top \d+|busiest|best)\b(?! tables\b| number\b| direct\b| joins?\b| paths?\b| routes?\b| way\b| hops?\b| steps?\b)",
        "rankings",
    ),
    (
        r"\blongest\b|\bsecond[- ]shortest\b|\blonger than\b|\bmore than (?:\d+|two|three|four|five)\b|\bat (?:most|least) (?:\d+|one|two|three|four|five)\b|\bfewer than\b|\bless than\b",
        "a limit on length or number",
    ),
    (
        r"\bwithin (?:\d+|one|two|three|four|five|six) \w+|\b(?:two|three|four|five|six|\d+) (?:hops?|steps?|levels?|joins?) (?:away|from|of|or less|or fewer|deep|down|up|up ?stream|down ?stream)\b|\b(?:second|third|fourth|2nd|3rd) (?:level|hop|step|generation|degree)\b|\bgrand(?:child|children|parents?)\b",
        "a given number of steps",
    ),
    (r"\b(?:write|generate|produce|draft)\b.{0,20}\b(?:sql|query|script|code)\b", "SQL text"),
    (r"\b(?:gb|mb|bytes|disk|storage)\b", "sizes on disk"),
    (r"\b(?:un|in)directly (?:un)?related columns\b", "columns"),
    (
        r"\bavoid\w*\b|\bbypass\w*\b|\b(?:not|without) (?:going|passing|using|touching|walking) (?:\w+ )?(?:through|via|over)?\b|\bwithout T\d|\bexcept\b|\bunless\b|\bother than\b|\bif (?:we|i|you) (?:remove|drop|delete)d?\b.{0,60}\b(?:still|connected|path|join)\b",
        "an exception",
    ),
)
"""Questions this cannot answer: pattern → what they ask about. A match abstains."""

FLOW_OUT = (
    r"feed(?:s|ing)?(?: (?:data |rows )?(?:in)?to)?",
    r"fed (?:in)?to",
    r"flow(?:s|ing|ed)? (?:on )?(?:in)?to",
    r"(?:get |gets |got |is |are |was |were |being )?(?:merged|loaded|written|copied|pushed|fed|integrated|consolidated|transformed|moved|rolled up|aggregated|combined|folded|inserted|turned|made|channell?ed|routed|sent|shipped|propagated|poured|piped) (?:in ?to|to|onto|towards?)",
    r"load(?:s|ing)?(?: (?:in)?to)?(?! (?:\w+ ){0,2}(?:from|out of|off)\b)",
    r"go(?:es|ing)? (?:in)?to",
    r"end(?:s|ed|ing)? up(?: (?:in|inside|within))?",
    r"land(?:s|ed|ing)?(?: (?:in|where))?",
    r"contribut(?:e|es|ed|ing)(?: (?:data |rows )?(?:in)?to)?",
    r"propagat(?:e|es|ed|ing)(?: (?:in)?to)?",
    r"suppl(?:y|ies|ied|ying)(?: data to)?",
    r"provid(?:e|es|ed|ing)(?: (?:data|rows|input|inputs|records) (?:to|for))?",
    r"populat(?:e|es|ing)",
    r"fill(?:s|ing)?",
    r"produc(?:e|es|ing)",
    r"form(?:s|ing)?",
    r"mak(?:e|es|ing)(?: up)?",
    r"preced(?:e|es|ing)|com(?:e|es) before",
    r"build(?:s|ing)?(?! (?:\w+ )?(?:on|from|upon)\b)",
    r"writ(?:e|es|ing) (?:in)?to",
    r"serv(?:e|es|ing)(?: as (?:an? )?(?:inputs?|sources?) (?:to|for|of))?",
    r"driv(?:e|es|ing)",
    r"power(?:s|ing)?",
    r"arriv(?:e|es|ing) (?:in|at)",
    r"com(?:e|es) into",
    r"enter(?:s|ing)?",
    r"pour(?:s|ing)? into",
    r"trickl(?:e|es|ing) (?:down )?(?:in)?to",
    r"run(?:s|ning)? into",
    r"pass(?:es|ing)? (?:data |rows )?(?:on )?(?:in)?to",
    r"send(?:s|ing)?(?: (?:its |their )?(?:data|rows))?(?: (?:in)?to)?",
    r"push(?:es|ing)?(?: (?:its |their )?(?:data|rows))? (?:in)?to",
    r"(?:consumed|used|read|ingested|picked up|queried|taken in) by",
    r"leads? to",
    r"(?:show|turn)s?(?: up)(?: in)?|appears?(?: in)?",
    r"(?:combined|merged|used|needed|required|integrated|read|loaded|refreshed|available) for",
    r"used to (?:derive|build|compute|fill|load|create|make|populate|produce|calculate|generate)",
    r"reach(?:es|ing|ed)?",
    r"used (?:in|for)",
    r"results? in",
    r"influenc(?:e|es|ing)",
    r"determin(?:e|es|ing)",
    r"go(?:es)?(?= to T\d| next| from (?:here|there))(?: to)?",
    r"turn(?:s)? into",
    r"becom(?:e|es)",
)
"""Verbs whose subject is the source of the data and whose object is the target."""

FLOW_IN = (
    r"deriv(?:e|es|ed|ing)(?: (?:from|off|out of))",
    r"(?:built|computed|calculated|generated|created|made|populated|loaded|sourced|fed|filled|materiali[sz]ed|refreshed|produced|assembled|constructed|taken|extracted|pulled|obtained|compiled|composed|formed|supplied|integrated|merged|combined|drawn|copied|transformed|aggregated|rolled up|put together|synthesi[sz]ed|inherited|synced|replicated|ingested|collected|gathered|consolidated|distilled)(?: up)? (?:from|off|out of|by|on top of|on|using|with|of)",
    r"(?:deriv|com|originat|stem)(?:e|es|ing|s|ming)? (?:from|off|out of)",
    r"originat(?:e|es|ed|ing)(?: (?:from|in))?",
    r"read(?:s|ing)?(?: (?:\w+ )?(?:from|off|out of))?(?! by\b)",
    r"pull(?:s|ing)?(?: (?:its |their )?(?:data |rows |records )?(?:in )?(?:from|out of))?",
    r"load(?:s|ing)? (?:its |their )?(?:data |rows )?(?:from|off|out of)",
    r"consum(?:e|es|ing)(?: from)?",
    r"depend(?:s|ing|ed)?(?: (?:up)?on)?",
    r"dependent (?:up)?on",
    r"rel(?:y|ies|ying|ied) (?:up)?on",
    r"us(?:e|es|ing)",
    r"draw(?:s|ing)? (?:its |their )?(?:data |rows )?(?:from|on)",
    r"ingest(?:s|ing)?(?: from)?",
    r"tak(?:e|es|ing) (?:its |their )?(?:data|rows|records|input|inputs|values) (?:from|out of)",
    r"inherit(?:s|ing)? (?:data |rows )?from",
    r"(?:get|gets|getting|receive|receives|obtain|obtains|source|sources|sourcing|fetch|fetches|collect|collects|gather|gathers|extract|extracts) (?:all )?(?:its |their |the |his )?(?:data|rows|records|contents?|values|numbers|figures|input|inputs|feed|feeds|information)?(?: (?:from|out of))",
    r"based (?:up)?on",
    r"stitch(?:es|ed|ing)?(?: together)?",
    r"merg(?:e|es|ing)",
    r"integrat(?:e|es|ing)",
    r"combin(?:e|es|ing)",
    r"consolidat(?:e|es|ing)",
    r"aggregat(?:e|es|ing)",
    r"select(?:s|ing)? from",
    r"pick(?:s|ing)? up(?: from)?",
    r"(?:inherit|derive|pull|source|draw)(?:s|ing)? (?:its|their) (?:data|rows|records|contents?|numbers|values|figures) (?:from|out of|off)",
    r"inherit(?:s|ing)?",
    r"gets?(?= T\d)",
    r"(?:contain|include)(?:s|ing)?(?: (?:data|rows|values|records))?(?: (?:from|of|derived from))?",
    r"(?:build|fill|populate|write|load|create|make|compute|generate|produce|refresh|derive)(?:s|ing)? (?:\w+ )?(?:upon|on|from|out of|off)",
    r"follows|com(?:e|es) after",
    r"start(?:s|ing)? from",
    r"feed(?:s|ing)? (?:off|on|from)",
    r"receiv(?:e|es|ing)",
    r"quer(?:y|ies|ying)",
    r"subscrib(?:e|es|ing) to",
    r"go(?:es)? back to",
    r"trac(?:e|es|ed) back to",
    r"descend(?:s|ed)? from",
)
"""Verbs whose subject is the target of the data and whose object is the source."""

NOUN_UP = r"(?:sources?|source tables?|inputs?|input tables?|parents?|predecessors?|ancestors?|ancestry|upstreams?|upstream \w+|origins?|provenance|feeders?|feeds|suppliers?|antecedents?|dependencies|roots?|raw inputs?|providers?|contributors?|basis|bases|lineage sources?|direct sources?|producers?|precursors?)"
"""Nouns for what lies before a table."""

NOUN_DOWN = r"(?:targets?|target tables?|consumers?|successors?|descendants?|downstreams?|downstream \w+|dependents?|outputs?|derivatives?|derivations?|offspring|sinks?|destinations?|children|child tables?|readers?|users|subscribers?|followers?)"
"""Nouns for what lies after a table."""

ADVERBS = r"(?: (?:directly|straight|immediately|also|only|currently|actually|ultimately|eventually|transitively|indirectly|mainly|exactly|in turn|sooner or later|finally|first|all|itself|data|anything|something|together|ever|later|next|then|now|in the end|at any point|both|in any way|somehow|some|any))*"
"""May stand between a verb and what it belongs to."""

LAYERS = {
    "raw": (
        "raw",
        "landing",
        "landing zone",
        "bronze",
        "oltp",
        "operational",
        "source system",
        "source systems",
        "src",
    ),
    "staging": ("staging", "stage", "staged", "stg", "silver", "cleansed", "ods"),
    "core": ("core", "conformed", "integration", "edw"),
    "mart": (
        "mart",
        "marts",
        "data mart",
        "data marts",
        "datamart",
        "reporting",
        "report",
        "reports",
        "presentation",
        "gold",
        "dashboard",
        "dashboards",
    ),
    "dw": ("dw", "dwh", "warehouse", "data warehouse"),
}
"""Layers of a warehouse and what people call them; a word counts only where the graph has such a layer."""

FIRM_LAYER_WORDS = frozenset(
    {"raw", "staging", "stg", "mart", "marts", "core", "bronze", "silver", "gold", "reporting", "landing"}
)
"""Layer words that ask for a layer even where the graph has none (the answer is then: it has none)."""

LAYER_PREFIXES = {
    "raw": "raw", "src": "raw", "landing": "raw", "stg": "staging", "stage": "staging", "staging": "staging",
    "dim": "core", "fact": "core", "fct": "core", "mart": "mart", "rpt": "mart",
}  # fmt: skip
"""Layer by the first word of a name, for graphs that state no layer at all."""

ROLE_WORDS = {
    "dimension": "dim",
    "dimensions": "dim",
    "dims": "dim",
    "dim": "dim",
    "facts": "fact",
    "fact": "fact",
}

WORD_FORMS = ROLE_WORDS | {"staging": "stg", "stage": "stg", "marts": "mart", "source": "src"}
"""Words people write in full for the short forms in names."""

LABEL_NOUNS = r"(?:data )?(?:silos?|domains?|groups?|areas?|departments?|business units?|teams?|divisions?|subject areas?)"
SCOPE_NOUNS = r"(?:schema|database|db|catalog|namespace|side|tables?)"

STOP_WORDS = frozenset(
    """a an and any are as at be been but by can could did do does down each either else every everything few for from
    get gets give given had has have her here hey hi how i if in into is it its just kindly list me more my name need needed
    needs no not of off on once one only onto or other others our out over please per quite really same shall she should show
    so some such tell than thanks that the their them then there these they thing things this those through to too under until
    up us use used uses using very via want was way ways we well were what when where whether which while who whole whom whose
    why will with within without would yes you your table tables view views file files dataset schema graph database column
    columns row rows record records data all both between among after before behind against along across around about also
    anything something nothing anyone complete full list entire possible exactly currently actually now today morning week
    start end included include including step steps hop hops level levels number count minimum maximum least shortest quickest
    fewest minimal smallest rebuild reload refresh fix fixing direct directly indirect indirectly immediate immediately eventually ultimately transitively chain
    path paths route routes link links linked connected connect connects connection connections related relate join joins
    joined joining key keys foreign fk fks lineage etl pipeline upstream downstream source sources target targets feed feeds
    feeding fed load loads loaded loading derive derives derived deriving built build builds populate populates populated
    depend depends dependent dependents depending change changes changed changing modified modify modifies breaks break broken
    affected affects affect impact impacted impacts drop dropped drops deleted delete deletes removed remove removes corrupted
    corrupt silo silos component components island islands cluster clusters domain group area belong belongs different separate
    isolated orphan orphans together hang hangs itself reference references referenced referencing point points pointing child
    children parent parents carry carries hold holds holding constraint true false vs versus reach reaches reachable reached far
    apart away distance islands piece pieces goes go going land lands come comes came coming sit sits live lives write writes
    read reads consume consumes consumed produce produces flow flows flowing contribute contributes propagate propagates
    originate originates influence influences wrong late stale down fails fail failed delayed renamed altered alter truncated
    right because made ddl declare declares declared input inputs output outputs past think search ever consist consists
    broke delay delays got share shares somehow refer refers goes-away following forward forwards backward backwards pick picks part parts member members off apart except besides draw draws fill fills make makes pull pulls send sends push pushes form forms serve serves drive drives suppose assume assuming say given consider regarding concerning about stand stands exist exists remain remains look appear appears tie tied lie lies cut splits split bring brings combine combines navigate traverse traversing start starts starting begin take takes put place move touch query
    look looks looking check find finds see understand explain locate compare trace traces follow follows walk cross merge
    merges merged integrate integrates renaming retired deprecated migrated touched touches hit hits ripple ripples else next first last straight
    """.split()  # noqa: SIM905  (a list of 400 words, one to a line, is harder to read)
)
"""Words of the grammar: a one-word table name beside one of them stands where a table stands."""

LOOSE_NAMES = r"(?:graph|schema|database|model|warehouse|dataset|catalog|data model|tables?)"

VERB_STEMS = tuple(
    sorted(
        {stem for pattern in (*FLOW_OUT, *FLOW_IN) for stem in re.findall(r"(?<![\w\\])[a-z]{5,}", pattern)}
    )
)
"""Beginnings of the verbs of a data flow; they too stand beside tables."""

VERB_NOUNS = frozenset(
    {
        "store",
        "note",
        "document",
        "shift",
        "time",
        "date",
        "address",
        "cost",
        "order",
        "contact",
        "process",
        "report",
        "record",
        "measure",
        "purchase",
    }
)
SUBJECTS = frozenset({"tables", "that", "we", "they", "you", "i", "who", "which"})
COPULAS = frozenset(
    {
        "and",
        "or",
        "to",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "belongs",
        "lies",
        "sits",
        "lives",
        "feeds",
        "references",
    }
)
"""A word of the first set right after one of the second is a verb ("tables store …"), unless one of the third follows."""

ADJECTIVES = frozenset(
    {
        "existing",
        "missing",
        "remaining",
        "following",
        "outstanding",
        "leading",
        "upcoming",
        "billing",
        "shipping",
    }
)
"""Words in -ing that qualify the noun after them."""
