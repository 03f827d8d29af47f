"""Requests that stand in a text of another kind, as `perception/injection/requests.rs` finds them; the verbs are read from there."""
import pathlib
import re

SOURCE = (pathlib.Path(__file__).parent / '../../crates/chimera-core/src/perception/injection/requests.rs').read_text(encoding='utf-8')
VERBS = re.sub(r'\\\n\s*', '', re.search(r'const VERBS: &str = "(.*?)";', SOURCE, re.S)[1])
BEGINNING = r'(?:^\W*|(?:^|\s)(?P<before>[a-z0-9][\w\'’-]*)\s+|[.!?:)"”]\s+)'
BEFORE_TITLES = 'a an and as by can for in must of or the to will'.split()
OPENING = r'(?:Please|Kindly|Now|Also|Then|Instead|Seamlessly|Just)\s*,?\s+'
REQUEST = re.compile(
    BEGINNING + rf"(?P<body>(?:{OPENING}(?:{VERBS}|{VERBS.lower()})|(?:{VERBS}))(?:\s+(?:up|down|out|off))?\s+(?:[a-z'’]+|\d+|'[^']*')\b[^.!?]*[.!?]?)")
QUESTION = re.compile(
    BEGINNING + r"(?P<body>(?:What(?:['’]s| is| are| was| were| does| do)|How (?:do|does|did|can|many|much|to|would)|Why (?:do|does|is|are|did)"
    r"|Who (?:is|was|wrote|invented|discovered|painted)|Where (?:is|are|can)|When (?:is|was|did)|(?:Can|Could|Would|Will) you)\b[^.!?]{4,160}\?)")
PERSONS = re.compile(r"(?i)\b(?:i|i'm|i'd|i've|you|you're|me|my)\b")
MAIL = re.compile(r'(?i)\b(?:debit card|invoice|receipt|unsubscribe|payment|order|account)\b')
REST_CHARS_MIN = 60


def bodies(text):
    requests, questions = list(REQUEST.finditer(text)), list(QUESTION.finditer(text))
    only_one = len(requests) + len(questions) == 1
    found = []
    for match, is_question in [(one, False) for one in requests] + [(one, True) for one in questions]:
        start, end = match.span('body')
        rest = f'{text[:start]} {text[end:]}'
        if len(rest) < REST_CHARS_MIN:
            continue
        if match['before']:
            foreign = match['before'] not in BEFORE_TITLES
        else:
            to_persons = bool(PERSONS.search(rest))
            foreign = only_one and (not to_persons and '?' not in rest if is_question else not to_persons or bool(MAIL.search(rest)))
        if foreign:
            found.append((match['body'], is_question))
    return found
