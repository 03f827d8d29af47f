#!/usr/bin/env python3
"""What simple ways of finding trends tell on the rows that `chimera eval trends` reads, counted in the same way.

    python3 bench/trends/baselines.py ROWS.jsonl ...

Rows have `ts` in seconds, `text` and `event` (null for none), in the order in which they came. Each story is told once, and a row is known only with
the rows before it. `tf-idf`: one-pass clustering, an item joins the story of the last two days whose mean is nearest by cosine, and a story is told
with its third item within two days. `bursts`: a word is told when a day has at least four items with it, and three standard deviations more than the
days of the week before; for two days it is not told again. Standard library alone.
"""

import collections
import json
import math
import re
import sys

DAY = 86_400
EVENT_ROWS_MIN, ROWS_OF_EVENT_MIN = 5, 3
STEM_CHARS, STEMS_MAX = 6, 24
FUNCTION_WORDS = set(
    "a about after all also am an and any are as at be been but by can could did do does for from had has have he her here his how i if in into "
    "is it its just me more most my news no not of on or our out over said say says she should so some such than that the their them then there "
    "these they this those to too up via was we were what when where which while who will with would you your".split()
)


def stems(text):
    words = (word for word in re.findall(r"[^\W_]+", text.lower()) if word not in FUNCTION_WORDS)
    return list(dict.fromkeys(word[:STEM_CHARS] for word in words))[:STEMS_MAX]


def tf_idf(rows, cosine_min, silent=2 * DAY, items_min=3):
    """Story and time of telling, of each row."""
    seen, stories, said, by_stem = collections.Counter(), {}, [], collections.defaultdict(set)
    for number, row in enumerate(rows, start=1):
        words = stems(row["text"])
        seen.update(words)
        vector = {word: math.log((number + 1) / seen[word]) for word in words}
        length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
        nearness = collections.Counter()
        for word, weight in vector.items():
            for story in by_stem[word]:
                nearness[story] += weight / length * stories[story]["sum"][word] / stories[story]["length"]
        near = (story for story, cosine in nearness.most_common() if cosine >= cosine_min and row["ts"] - stories[story]["last"] <= silent)
        story = next(near, None)
        if story is None:
            story = number
            stories[story] = {"sum": collections.Counter(), "times": [], "told": None}
        told = stories[story]
        for word, weight in vector.items():
            told["sum"][word] += weight / length
            by_stem[word].add(story)
        told["length"] = math.sqrt(sum(weight * weight for weight in told["sum"].values())) or 1.0
        told["last"] = row["ts"]
        told["times"] = [at for at in told["times"] if row["ts"] - at <= silent] + [row["ts"]]
        if told["told"] is None and len(told["times"]) >= items_min:
            told["told"] = row["ts"]
        said.append((story, told["told"]))
        if number % 1_000 == 0:
            for over in [story for story, told in stories.items() if row["ts"] - told["last"] > silent]:
                for word in stories.pop(over)["sum"]:
                    by_stem[word].discard(over)
    return said


def bursts(rows, deviations=3.0, items_min=4):
    times, telling, said = collections.defaultdict(list), {}, []
    for number, row in enumerate(rows):
        best = None
        for word in stems(row["text"]):
            times[word] = [at for at in times[word] if row["ts"] - at <= 8 * DAY] + [row["ts"]]
            days = [0] * 8
            for at in times[word]:
                days[min(7, int((row["ts"] - at) // DAY))] += 1
            mean = sum(days[1:]) / 7
            spread = math.sqrt(sum((day - mean) ** 2 for day in days[1:]) / 7)
            above = (days[0] - mean) / max(spread, 1.0)
            known = telling.get(word)
            if known and row["ts"] - known[1] <= 2 * DAY:
                telling[word] = (known[0], row["ts"], known[2])
                best = best or (math.inf, word)
            elif days[0] >= items_min and above >= deviations and (best is None or above > best[0]):
                best = (above, word)
        if best is None:
            said.append((f"row {number}", None))
            continue
        word = best[1]
        known = telling.get(word)
        if known is None or row["ts"] - known[1] > 2 * DAY:
            telling[word] = (f"{word} {row['ts']}", row["ts"], row["ts"])
        said.append((telling[word][0], telling[word][2]))
    return said


def measured(rows, said):
    events, stories = collections.defaultdict(list), collections.defaultdict(list)
    for row, (story, told) in zip(rows, said):
        stories[story].append((row["ts"], row["event"], told))
        if row["event"] is not None:
            events[row["event"]].append(row["ts"])
    tellings = []
    for story in stories.values():
        told_at = next((told for _, _, told in story if told is not None), None)
        if told_at is None:
            continue
        of = [event for at, event, _ in story if at <= told_at + DAY]
        most = collections.Counter(event for event in of if event is not None).most_common(1)
        is_of = bool(most) and most[0][1] >= ROWS_OF_EVENT_MIN and most[0][1] * 2 >= len(of)
        tellings.append((told_at, most[0][0] if is_of else None))
    events = {event: times for event, times in events.items() if len(times) >= EVENT_ROWS_MIN}
    told_of = {event: [at for at, of in tellings if of == event] for event in events}
    found = {event: told for event, told in told_of.items() if told}
    delays = sorted(min(told) - events[event][ROWS_OF_EVENT_MIN - 1] for event, told in found.items())
    return {
        "events": len(events),
        "found": len(found),
        "count": len(tellings),
        "precision": round(sum(of is not None for _, of in tellings) / max(1, len(tellings)), 3),
        "an_event": round(sum(map(len, found.values())) / max(1, len(found)), 2),
        "delay_seconds_median": delays[len(delays) // 2] if delays else None,
        "largest_story": max(map(len, stories.values())),
    }


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.strip()]
        for cosine_min in (0.25, 0.35):
            print(json.dumps({"rows": name, "way": f"tf-idf {cosine_min}", **measured(rows, tf_idf(rows, cosine_min))}))
        print(json.dumps({"rows": name, "way": "bursts", **measured(rows, bursts(rows))}))


if __name__ == "__main__":
    main()
