"""Sentences that we wrote: templates with alternatives in braces and named lists, one file a language."""

import random
import re
from pathlib import Path

LANGUAGES = ["en", "es", "fr", "de", "pt", "it", "nl", "am", "sw", "ar", "hi", "ja", "zh"]
TOPICS = ["politics", "health", "finance", "law", "other"]


def sections(lang):
    named, found, into = {}, {}, None
    for line in (Path(__file__).parent / f"{lang}.txt").read_text().splitlines():
        if line.startswith("$"):
            name, values = line[1:].split("=", 1)
            named[name] = values
        elif line.startswith("== "):
            into = found.setdefault(line[3:], [])
        elif line.strip():
            into.append(line)
    return named, found


def expand(template, named, rng):
    # The innermost braces first; a name stands for one of its list.
    while "{" in template or "$" in template:
        before = template
        template = re.sub(r"\{([^{}]*)\}", lambda m: rng.choice(m[1].split("|")), template)
        template = re.sub(r"\$([A-Za-z])", lambda m: rng.choice(named[m[1]].split("|")) if m[1] in named else "$" + m[1], template)
        if template == before:
            break
    return re.sub(r" +", " ", template).strip()


def sentences(lang, section, each, rng):
    """At most `each` of every template, half of them as people type: no capitals, no marks, slips."""
    named, found = sections(lang)
    out = set()
    for template in found[section]:
        for _ in range(each):
            text = expand(template, named, rng)
            out.add(text if rng.random() < 0.5 else typed(text, rng))
    return sorted(out)


def typed(text, rng):
    if rng.random() < 0.6:
        text = text.lower()
    if rng.random() < 0.4:
        text = re.sub(r"[?!.,¿¡？。、，؟،፣]", " ", text).strip()
    if rng.random() < 0.3 and text.isascii():
        at = rng.randrange(len(text))
        text = rng.choice([text[:at] + text[at + 1:], text[:at] + text[at:at + 1] * 2 + text[at + 1:]])
    return text


def terms(lang, topic):
    return [term.strip() for term in " ".join(sections(lang)[1][topic]).split(",")]


def topical(lang, topic, count, rng):
    """A few terms of one topic, which is how a headline looks to counted words."""
    gap, known = "" if lang in ("ja", "zh") else " ", terms(lang, topic)
    return sorted(set([gap.join(rng.sample(known, rng.randint(2, 4))) for _ in range(count)] + known))
