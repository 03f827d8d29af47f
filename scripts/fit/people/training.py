"""What each judgement is fitted on: (text, language, source, label) rows."""

import random

import sources
import templates

EACH = 14
LATIN = ["en", "es", "fr", "de", "pt", "it", "nl", "sw"]


def everyday(paths):
    """Posts and sentences that ask and suffer nothing in particular."""
    found = [*sources.tatoeba(paths.tatoeba), *sources.brighter(paths.brighter), *sources.afrisenti(paths.afrisenti)]
    found += sources.headlines(paths.texts, 3000, seed=5)
    sib = [row for row in sources.rows(paths.texts, "sensitive") if row["source"] == "dadelani/sib-200"]
    return found + random.Random(6).sample(sib, 2600)


def written(section, label, seed):
    rng = random.Random(seed)
    return [(text, lang, "written", label) for lang in templates.LANGUAGES for text in templates.sentences(lang, section, EACH, rng)]


def plain_sentences(paths):
    found = {}
    for row in sources.tatoeba(paths.tatoeba):
        found.setdefault(row["lang"], []).append(row["text"])
    return found


def in_company(rows, paths, share, seed):
    """People say other things too: some of the rows that are looked for, with an everyday sentence before or after."""
    rng, plain = random.Random(seed), plain_sentences(paths)
    chosen = [row for row in rows if row[3] and rng.random() < share]
    mixed = [(" ".join(rng.sample([text, rng.choice(plain[lang])], 2)), lang, source, label) for text, lang, source, label in chosen]
    return rows + mixed


def topical_sentences(paths, rng):
    """An everyday sentence with a few terms of a topic among its words: it is the terms that tell."""
    plain, rows = plain_sentences(paths), []
    for lang in templates.LANGUAGES:
        for number, topic in enumerate(templates.TOPICS):
            terms = templates.terms(lang, topic)
            gap = "" if lang in ("ja", "zh") else " "
            for term in terms * 5:
                words = rng.choice(plain[lang])
                words = list(words) if not gap else words.split(" ")
                for extra in [term] + rng.sample(terms, rng.randint(0, 2)):
                    words.insert(rng.randint(0, len(words)), extra)
                rows.append((gap.join(words), lang, "terms", number))
    return rows


def machine_question(paths):
    rows = written("bot", 1, 1) + written("bot-not", 0, 2)
    for section in ("ordinary", "heavy", "crisis", "crisis-not"):
        rows += written(section, 0, 3)
    for row in sources.rows(paths.texts, "bot_question"):
        if sources.is_permissive(row) and row["label"] != "ambiguous":
            rows.append((row["text"], row["lang"], row["source"], int(row["label"] == "asks")))
    rows += [(row["text"], "en", "DNGros/R-U-A-Robot", int(row["label3"] == "pos")) for row in sources.robot_questions(paths.ruarobot)]
    rows = in_company(rows, paths, 0.3, 20)
    return rows + [(row["text"], row["lang"], row["source"], 0) for row in everyday(paths)]


def danger(paths):
    """Of those who may be in danger. What is only heavy to bear is neither."""
    return [row for row in heavy(paths) if row[2] != "distress"]


def heavy(paths):
    """Of those who may be in danger, and of those who speak of pain, loss, illness or loneliness of their own."""
    rows = written("crisis", 1, 4) + written("ordinary", 0, 5) + written("crisis-not", 0, 6) + written("bot", 0, 7) + written("bot-not", 0, 8)
    rows += [(text, lang, "distress", label) for text, lang, _, label in written("heavy", 1, 9)]
    for row in sources.rows(paths.texts, "crisis"):
        if sources.is_permissive(row):
            rows.append((row["text"], row["lang"], "distress" if row["label"] == "distress" else row["source"], int(row["label"] != "benign")))
    # Chit-chat holds cries for help that its sources do not mark: where they are told as statements, only small sets are taken.
    for row in sources.rows(paths.texts, "bot_question"):
        if sources.is_permissive(row) and (not row["source"].startswith("microsoft/") or "?" in row["text"] or "？" in row["text"]):
            rows.append((row["text"], row["lang"], "chat", 0))
    rows = in_company(rows, paths, 0.3, 21)
    # Where readers saw sadness or fear it may be either, and nobody said which.
    return rows + [(row["text"], row["lang"], row["source"], 0) for row in everyday(paths) if not row.get("sad")]


def topics(paths):
    """The label is the number of the topic, 4 for none of them."""
    rng = random.Random(10)
    rows = topical_sentences(paths, rng)
    rows += [(text, lang, "terms", number) for lang in templates.LANGUAGES for number, topic in enumerate(templates.TOPICS)
             for text in templates.topical(lang, topic, 60, rng)]
    for section in ("ordinary", "bot", "bot-not", "crisis-not"):
        rows += written(section, 4, 11)
    for row in sources.rows(paths.texts, "sensitive"):
        if sources.is_permissive(row):
            number = templates.TOPICS.index(row["topic"]) if row["label"] == "sensitive" else 4
            rows.append((row["text"], row["lang"], row["source"], number))
    rows += [(row["text"], row["lang"], "tatoeba", 4) for row in sources.tatoeba(paths.tatoeba)]
    return rows


def languages(paths, wanted, others):
    """Sentences in the wanted languages against the others'."""
    rng = random.Random(12)
    rows = [row for row in [*sources.tatoeba(paths.tatoeba), *sources.other_languages(paths.tatoeba)]]
    rows += [row for row in sources.rows(paths.texts, "sensitive") if row["source"] == "dadelani/sib-200"]
    rows += [row for row in sources.headlines(paths.texts, 3000, seed=13)]
    rows += [{"text": text, "lang": lang} for lang in LATIN for topic in templates.TOPICS for text in templates.topical(lang, topic, 40, rng)]
    rows += [{"text": text, "lang": lang} for lang in LATIN for section in ("ordinary", "bot") for text in templates.sentences(lang, section, 4, rng)]
    labelled = [(row["text"], "any", "", 1) for row in rows if row["lang"] in wanted]
    return labelled + [(row["text"], "any", "", 0) for row in rows if row["lang"] in others]
