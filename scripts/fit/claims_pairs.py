"""Pairs of a source and a claim for `claims.py`, from public repositories (bare clones under MIRROR, as owner+name/repo).

    claims_pairs.py MIRROR EVALUATION OUT.jsonl

EVALUATION is a folder of grounding_*/dev.jsonl.gz. No pair shares a run of ten words with one of its rows, nor with a document that those sets were drawn
from (QAGS, BUMP, DeFacto's test part). Written: {"source", "claim", "label", "kind", "group"}.
"""
import collections, glob, gzip, json, random, re, subprocess, sys

MIRROR, EVALUATION, OUT = sys.argv[1:4]
random.seed(21)


def show(repo, path):
    return subprocess.run(["git", f"--git-dir={MIRROR}/{repo}/repo", "show", f"HEAD:{path}"], capture_output=True, check=True).stdout.decode("utf-8", "replace")


def rows(repo, path):
    return [json.loads(line) for line in show(repo, path).splitlines() if line.strip()]


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(text, size=10):
    found = words(text)
    return {hash(tuple(found[at : at + size])) for at in range(len(found) - size + 1)}


def sentences(text):
    parts = re.split(r"(?<=[.!?][\"”']?)\s+(?=[A-Z\"“'(0-9])|\n+", text) if False else re.split(r"(?<=[.!?])\s+(?=[A-Z\"“(0-9])|\n+", text)
    return [part.strip() for part in parts if part.strip()]


taken = set()
for file in glob.glob(f"{EVALUATION}/grounding_*/dev.jsonl.gz"):
    for line in gzip.open(file, "rt"):
        row = json.loads(line)
        taken |= runs(row["source"]) | runs(row["claim"])
for row in rows("microsoft+DeFacto", "data/test.jsonl"):
    taken |= runs(row["article"])
for name in ("cnndm", "xsum"):
    for row in rows("W4ngatang+qags", f"data/mturk_{name}.jsonl"):
        taken |= runs(row["article"])
for name in ("task1", "task2"):
    for row in json.loads(show("dataminr-ai+BUMP", f"data/{name}_dataset.json")):
        for value in row.values() if isinstance(row, dict) else []:
            if isinstance(value, str) and len(value) > 400:
                taken |= runs(value)
for name in ("news", "ectsum"):
    for row in json.loads(show("salesforce+factualNLG", f"data/summedits/summedits_{name}.json")):
        taken |= runs(row["doc"])
print("runs held out", len(taken))

pairs, seen, dropped, docs_known = [], set(), collections.Counter(), {}


def add(source, claim, label, kind, group):
    source, claim = source.strip(), " ".join(claim.split())
    if not source or len(claim) < 12 or len(claim) > 600 or (source, claim) in seen:
        return
    seen.add((source, claim))
    if source not in docs_known:
        docs_known[source] = bool(runs(source) & taken)
    if docs_known[source] or runs(claim) & taken:
        dropped[kind] += 1
        return
    pairs.append({"source": source, "claim": claim, "label": int(label), "kind": kind, "group": group})


documents = []  # (text, group) of which perturbed claims are made
good = []  # faithful paraphrases of documents, to be spoiled: (source, claim, group)

for number, row in enumerate(rows("derenlei+FactCG", "data/training_stage2/CG2C_doc.json")):
    claim = " ".join(row["text_b"]) if isinstance(row["text_b"], list) else row["text_b"]
    group = f"cg2c{number // 40}"
    add(row["text_a"], claim, row["orig_label"], "cg2c_news", group)
    if row["orig_label"] == 1:
        documents.append((row["text_a"], group))
        good.append((row["text_a"], claim, group))
for name in ("podcast", "qmsumm", "sales_call", "sales_email", "scitldr"):
    for row in json.loads(show("salesforce+factualNLG", f"data/summedits/summedits_{name}.json")):
        group = row["id"].rsplit("_", 1)[0]
        label = int(row["label"])
        original = sentences(row["original_summary"])
        edited = [one for one in sentences(row["summary"]) if one not in original]
        claim = " ".join(edited) if edited and len(edited) <= 2 else row["summary"]
        if len(words(claim)) <= 90:
            add(row["doc"], claim, label, "summedits", group)
        if label == 1 and len(words(claim)) <= 60:
            good.append((row["doc"], claim, group))
for part in ("train", "val"):
    for number, row in enumerate(rows("microsoft+DeFacto", f"data/{part}.jsonl")):
        group = f"defacto{row['doc_id']}"
        wrong = str(row["has_error"]).lower() == "true"
        add(row["article"], row["candidate"], not wrong, "defacto", group)
        feedback = row.get("feedback")
        feedback = feedback if isinstance(feedback, dict) else {}
        corrected = feedback.get("summary") or ""
        if wrong and corrected:
            add(row["article"], corrected, 1, "defacto", group)
        kept = corrected if wrong else row["candidate"]
        if kept:
            good.append((row["article"], kept, group))
        documents.append((row["article"], group))
tree = subprocess.run(["git", f"--git-dir={MIRROR}/r-three+fib/repo", "ls-tree", "-r", "--name-only", "HEAD", "multiple_choice-dataset/xsum"], capture_output=True, text=True).stdout.split()
for path in tree:
    if "factcc" in path or "mfma" in path:
        continue
    for row in rows("r-three+fib", path):
        choices = row["list_choices"]
        right = row["correct_choice"]
        group = f"fib{row['id']}"
        for choice in choices:
            add(row["input"], choice, choice == right, "fib", group)
        good.append((row["input"], right, group))
        documents.append((row["input"], group))
for part in ("dev", "test"):
    for level in ("claim",):
        for number, row in enumerate(rows("ryokamoi+wice", f"data/entailment_retrieval/{level}/{part}.jsonl")):
            text = "\n".join(row["evidence"])
            group = f"wice{part}{number}"
            if row["label"] == "partially_supported" and number % 2:
                continue
            add(text, row["claim"], row["label"] == "supported", "wice", group)
            if row["label"] == "supported":
                good.append((text, row["claim"], group))
for number, row in enumerate(rows("ryokamoi+wice", "data/non_supported_tokens/train.jsonl")):
    spans = row["non_supported_spans"]
    if sum(spans) >= 2:
        add("\n".join(row["evidence"]), row["claim"], 0, "wice", f"wicetrain{number}")
stances = {"completely-support": 1, "partially-support": 0, "refute": 0, "irrelevant": 0}
for row in rows("yuxiaw+Factcheck-GPT", "subtasks/subtask3_claim_evidence_stance.jsonl"):
    group = "fcg" + row["claim"][:40]
    if row["stance"] == "irrelevant" and random.random() > 0.4:
        continue
    add(row["evidence"], row["claim"], stances[row["stance"]], "factcheck_gpt", group)
    if row["stance"] == "completely-support":
        good.append((row["evidence"], row["claim"], group))
for part in ("dev", "test"):
    for number, line in enumerate(show("salesforce+DocNLI", f"Data/binary-FEVER-NLI/{part}.txt").splitlines()):
        fields = line.split("\t")
        if len(fields) == 3:
            add(fields[1], fields[2], fields[0] == "entailment", "fever", f"fever{part}{number}")
    for number, line in enumerate(show("salesforce+DocNLI", f"Data/binary-MNLI/{part}.txt").splitlines()):
        fields = line.split("\t")
        if len(fields) == 3:
            add(fields[1], fields[2], fields[0] == "entailment", "mnli", f"mnli{part}{number}")
for part in ("dev", "test"):
    for row in rows("TalSchuster+FeverSymmetric", f"symmetric_v0.2/fever_symmetric_{part}.jsonl"):
        add(row["sentence1"], row["sentence2"], row["gold_label"] == "SUPPORTS", "fever", "sym" + str(row["id"]))
for part in ("train", "dev", "test"):
    for number, row in enumerate(rows("allenai+scitldr", f"SciTLDR-Data/SciTLDR-A/{part}.jsonl")):
        text, group = " ".join(row["source"]), f"tldr{part}{number}"
        for claim in row["target"][:1]:
            claim = claim[0].upper() + claim[1:]
            add(text, claim, 1, "scitldr", group)
            good.append((text, claim, group))
        if number % 3 == 0:
            documents.append((text, group))

# ---- claims made from these: faithful ones, and each of them spoiled in one place
OPPOSITES = [line.split() for line in """rise fall|rose fell|increase decrease|increased decreased|rising falling|gain loss|more fewer|higher lower|up down|before after|first last|win lose|won lost|
winning losing|open close|opened closed|start end|started ended|begin finish|began finished|buy sell|bought sold|accept reject|accepted rejected|approve reject|approved rejected|support oppose|supported opposed|
supports opposes|supporting opposing|allow forbid|allowed banned|increases decreases|most least|best worst|largest smallest|biggest smallest|older younger|oldest youngest|early late|earlier later|
north south|northern southern|east west|eastern western|men women|man woman|he she|his her|son daughter|father mother|brother sister|husband wife|public private|guilty innocent|
convicted acquitted|arrested released|killed injured|hired fired|success failure|successful unsuccessful|likely unlikely|strong weak|stronger weaker|better worse|good bad|hot cold|fast slow|
faster slower|new old|all some|many few|always never|agree disagree|agreed refused|praised criticised|praised criticized|denied confirmed|confirmed denied|admitted denied|joined left|
arrive leave|arrived left|above below|over under|with without|including excluding|day night|week month|month year|weeks months|months years|days weeks|hours days|million billion|thousand million|
minutes hours|home abroad|inside outside|legal illegal|safe dangerous|expand shrink|expanded shrank|improve worsen|improved worsened|reveal hide|cheaper costlier|cut raised|raise cut|raised cut|
domestic foreign|local national|national international|can cannot|will won't|is isn't|was wasn't|are aren't|were weren't|has hasn't|have haven't|had hadn't|could couldn't|did didn't|would wouldn't""".replace("\n", "").split("|")]
SWAP = {}
for one, other in OPPOSITES:
    SWAP.setdefault(one, []).append(other)
    SWAP.setdefault(other, []).append(one)
NEGATED = {"is": "is not", "was": "was not", "are": "are not", "were": "were not", "has": "has not", "have": "have not", "had": "had not", "will": "will not", "can": "cannot", "could": "could not", "would": "would not", "said": "denied", "says": "denies", "should": "should not", "must": "must not"}
NUMBERS = "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()
DATES = ["Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(), "January February March April May June July August September October November December".split()]
NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*\b")


def names(text):
    dates = set(sum(DATES, []))
    return [name for name in NAME.findall(text) if name not in dates and len(name) > 2]


def change_number(claim, source):
    found = list(re.finditer(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]*[A-Za-z])", claim))
    spelled = list(re.finditer(r"\b(" + "|".join(NUMBERS) + r")\b", claim))
    if found and (not spelled or random.random() < 0.7):
        at = random.choice(found)
        others = [n for n in re.findall(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?", source) if n != at.group() and abs(len(n) - len(at.group())) <= 1]
        plain = at.group().replace(",", "")
        if others and random.random() < 0.5:
            new = random.choice(others)
        elif "." in plain:
            new = f"{float(plain) * random.choice([0.5, 0.8, 1.3, 2]):.{len(plain.split('.')[1])}f}"
        else:
            value = int(plain)
            new = str(value + random.choice([-3, -2, -1, 1, 2, 3, 10]) if value < 2100 else int(value * random.choice([0.5, 0.7, 1.2, 1.5, 3])))
            new = f"{int(new):,}" if "," in at.group() else new
        if new != at.group() and not new.startswith("-"):
            return claim[: at.start()] + new + claim[at.end() :]
    if spelled:
        at = random.choice(spelled)
        new = random.choice([n for n in NUMBERS if n != at.group()])
        return claim[: at.start()] + new + claim[at.end() :]
    return None


def change_date(claim, source):
    for kinds in random.sample(DATES, 2):
        for name in kinds:
            if re.search(rf"\b{name}\b", claim):
                return re.sub(rf"\b{name}\b", random.choice([other for other in kinds if other != name]), claim, count=1)
    return None


def change_name(claim, source):
    own = names(claim)
    others = [name for name in set(names(source)) if name not in claim and not any(name in one or one in name for one in own)]
    if not own or not others:
        return None
    return claim.replace(random.choice(own), random.choice(sorted(others)), 1)


def change_role(claim, source):
    own = sorted(set(names(claim)))
    if len(own) < 2:
        return None
    one, other = random.sample(own, 2)
    if one in other or other in one:
        return None
    return claim.replace(one, "\0").replace(other, one).replace("\0", other)


def change_opposite(claim, source):
    places = [at for at in re.finditer(r"[A-Za-z']+", claim) if at.group() in SWAP]
    if not places:
        return None
    at = random.choice(places)
    return claim[: at.start()] + random.choice(SWAP[at.group()]) + claim[at.end() :]


def change_negation(claim, source):
    if re.search(r"\b(not|never|no)\b|n't", claim):
        changed = re.sub(r"\b(is|was|are|were|has|have|had|will|could|would|should) not\b", r"\1", claim, count=1)
        return changed if changed != claim else None
    places = [at for at in re.finditer(r"\b[a-z]+\b", claim) if at.group() in NEGATED]
    if not places:
        return None
    at = random.choice(places[:2])
    return claim[: at.start()] + NEGATED[at.group()] + claim[at.end() :]


INVENTED = ["according to a government report", "for the first time in a decade", "after months of protests", "in a unanimous vote", "despite fierce opposition", "with the help of volunteers from abroad",
    "at a cost of several million", "as experts had long predicted", "because of rising costs", "following a complaint by residents", "with immediate effect", "in front of a large crowd", "thanks to a new law",
    "which surprised many observers", "and plans to repeat it next year", "as part of a wider reform", "to great applause", "after a series of delays"]


def add_invented(claim, source):
    if not claim.endswith("."):
        return None
    return claim[:-1] + random.choice([" ", ", "]) + random.choice(INVENTED) + "."


CHANGES = {"number": change_number, "date": change_date, "name": change_name, "role": change_role, "opposite": change_opposite, "negation": change_negation, "invented": add_invented}


def spoil(source, claim, group, most):
    kinds = list(CHANGES)
    random.shuffle(kinds)
    made = 0
    for kind in kinds:
        changed = CHANGES[kind](claim, source)
        if changed and changed != claim:
            add(source, changed, 0, f"made_{kind}", group)
            made += 1
        if made >= most:
            return


FRAMES = ["It turns out that {}", "Worth knowing: {}", "{}", "{}", "The report says {}", "In short, {}", "As it happens, {}"]


def lowered(sentence):
    first = sentence.split(" ", 1)[0]
    return sentence[0].lower() + sentence[1:] if first.lower() in {"the", "a", "an", "in", "on", "at", "it", "this", "these", "they", "he", "she", "more", "some", "many", "two", "three"} else sentence


def shortened(sentence):
    made = re.sub(r",\s+(?:which|who|where|when|although|while|but|according to|as|after)\b[^,.]*(?=[,.])", "", sentence, count=1)
    made = re.sub(r"\s*\([^)]*\)", "", made)
    made = re.sub(r",? (?:said|says|added|according to) [A-Z][^,.]*(?=\.)", "", made, count=1)
    return made if made != sentence and len(words(made)) >= 6 else None


def moved(sentence):
    at = re.match(r"^((?:On|In|At|After|Before|During|Since|By) [^,]{4,40}), ([a-zA-Z][^.]{20,})\.$", sentence)
    if at:
        rest = at.group(2)
        return rest[0].upper() + rest[1:] + " " + at.group(1)[0].lower() + at.group(1)[1:] + "."
    return None


good = list(dict.fromkeys(good))
random.shuffle(good)
for source, claim, group in good:
    spoil(source, claim, group, 2)
unique = {}
for text, group in documents:
    unique.setdefault(text, group)
for text, group in unique.items():
    own = [one for one in sentences(text) if 8 <= len(words(one)) <= 45]
    if len(own) < 4:
        continue
    for sentence in random.sample(own, min(2, len(own))):
        made = [value for value in (shortened(sentence), moved(sentence)) if value] or [random.choice(FRAMES).format(lowered(sentence))]
        claim = random.choice(made)
        if random.random() < 0.5:
            add(text, claim, 1, "made_kept", group)
        spoil(text, claim, group, 1)
        if random.random() < 0.5:
            add(text.replace(sentence, " "), claim, 0, "made_cut", group)
    if random.random() < 0.3:
        at = random.randrange(len(own) - 1)
        one, two = own[at], own[at + 1]
        if len(words(one)) + len(words(two)) < 50 and one.endswith("."):
            add(text, f"{one[:-1]}, and {lowered(two)}", 1, "made_joined", group)

random.shuffle(pairs)
by_group = collections.defaultdict(list)
for pair in pairs:
    by_group[pair["group"]].append(pair)
with open(OUT, "w") as out:
    for group in by_group.values():
        for pair in group:
            out.write(json.dumps(pair, ensure_ascii=False) + "\n")
count = collections.Counter((pair["kind"], pair["label"]) for pair in pairs)
for kind in sorted({kind for kind, _ in count}):
    print(kind, count[kind, 1], "/", count[kind, 0], "dropped", dropped[kind])
print(len(pairs))
