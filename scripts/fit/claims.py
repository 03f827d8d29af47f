"""Fits the cross-encoder of the claim check (crates/chimera-adapters/data/claims-int8.bin) on one GPU.

    claims.py WEIGHTS DATA OUT SECONDS [key=value ...]

WEIGHTS is crates/chimera-adapters/data/minilm-int8.bin, from which the network starts and whose table of word pieces it keeps. DATA holds pairs.jsonl.xz
(claims_pairs.py), dev.jsonl.xz (rows of the evaluation's development halves: id, set, source, claim, label, kind, fold, fit) and positions.npy (the
published model's first 257 rows: 256 positions with the first segment added, and the second segment less the first). OUT gets the weights, and for every development row the
logit of a network that saw no row of the same source.
"""
import collections, json, lzma, math, os, random, re, struct, sys, time

import numpy as np, torch
import torch.nn.functional as F
from tokenizers import BertWordPieceTokenizer

START = time.time()
WEIGHTS, DATA, OUT, SECONDS = sys.argv[1:4] + [float(sys.argv[4])]
OPTIONS = dict(option.split("=") for option in sys.argv[5:])
SEED = int(OPTIONS.get("seed", 21))
PIECES, CLAIM_PIECES, WINDOW_WORDS = 256, 72, 150
FOLDS = 5
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)
torch.backends.cuda.matmul.allow_tf32 = True


def log(*what):
    print(f"{time.time() - START:6.1f}", *what, flush=True)


# ---- the network, from our own file
class File:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def floats(self, count):
        return torch.tensor(np.frombuffer(self.take(4 * count), np.float32).copy())

    def matrix(self, rows, columns):
        scales = self.floats(rows)
        return torch.tensor(np.frombuffer(self.take(rows * columns), np.int8).copy()).view(rows, columns).float() * scales[:, None]


file = File(open(WEIGHTS, "rb").read())
assert file.take(8) == b"CHIMINLM"
_, COUNT, HIDDEN, LAYERS, HEADS, WIDE, KEPT, VOCABULARY = struct.unpack("<8I", file.take(32))
vocabulary, raw, at = [], file.take(VOCABULARY), 0
while at < len(raw):
    vocabulary.append(raw[at + 1 : at + 1 + raw[at]].decode()); at += 1 + raw[at]
table = file.matrix(COUNT, HIDDEN)
file.floats(KEPT * HIDDEN)
extra = torch.tensor(np.load(f"{DATA}/positions.npy").astype(np.float32))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(HIDDEN, 3 * HIDDEN); self.out = torch.nn.Linear(HIDDEN, HIDDEN); self.norm = torch.nn.LayerNorm(HIDDEN, eps=1e-12)
        self.widen = torch.nn.Linear(HIDDEN, WIDE); self.narrow = torch.nn.Linear(WIDE, HIDDEN); self.last = torch.nn.LayerNorm(HIDDEN, eps=1e-12)

    def forward(self, x, mask, rate):
        b, n, _ = x.shape
        q, k, v = self.inner(x).view(b, n, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=rate if self.training else 0.0).transpose(1, 2).reshape(b, n, HIDDEN)
        x = self.norm(x + F.dropout(self.out(y), rate, self.training))
        return self.last(x + F.dropout(self.narrow(F.gelu(self.widen(x))), rate, self.training))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", table)
        self.positions = torch.nn.Parameter(extra[:PIECES].clone()); self.second = torch.nn.Parameter(extra[PIECES].clone())
        self.first = torch.nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = torch.nn.Linear(2 * HIDDEN, 1)
        torch.nn.init.normal_(self.head.weight, std=0.02); torch.nn.init.zeros_(self.head.bias)

    def forward(self, ids, second, here, rate=0.1):
        x = self.first(self.table[ids] + self.positions[: ids.shape[1]] + second[..., None] * self.second)
        x = F.dropout(x, rate, self.training)
        mask = here[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask, rate)
        own = here & (second == 0)
        mean = (x * own[..., None]).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        return self.head(torch.cat([x[:, 0], mean], 1).float())[:, 0]


def norm_from(norm):
    norm.weight.data, norm.bias.data = file.floats(HIDDEN), file.floats(HIDDEN)


network = Network()
norm_from(network.first)
for layer in network.layers:
    layer.inner.weight.data = file.matrix(3 * HIDDEN, HIDDEN); layer.inner.bias.data = file.floats(3 * HIDDEN)
    layer.out.weight.data = file.matrix(HIDDEN, HIDDEN); layer.out.bias.data = file.floats(HIDDEN); norm_from(layer.norm)
    layer.widen.weight.data = file.matrix(WIDE, HIDDEN); layer.widen.bias.data = file.floats(WIDE)
    layer.narrow.weight.data = file.matrix(HIDDEN, WIDE); layer.narrow.bias.data = file.floats(HIDDEN); norm_from(layer.last)
assert file.at == len(file.data)
network = network.cuda()

# ---- what of a source stands beside a claim: as `composer::claims::window` cuts it
SMALL = set("""a about after all also am an and any are as at be been but by can could did do does follow for from had has have he her here his how i if in into is it its just latest ll me
more most my news no not of on or our out over re s said say says she should so some such t than that the their them then there these they this those to too up ve via was we were what when
where which while who will with would you your""".split())


def stem(word):
    word = word[:-2] if word.endswith("'s") else word
    if len(word) <= 3 or not word.isascii():
        return word
    def cut(word):
        if word.endswith("ies") and len(word) > 5: return word[:-3] + "y"
        if word.endswith("ing") and len(word) >= 6: return word[:-3]
        if word.endswith("ed") and len(word) >= 5 and not word.endswith("eed"): return word[:-2]
        for ending in ("sses", "shes", "ches", "xes", "zes"):
            if word.endswith(ending): return word[:-2]
        if word.endswith("s") and not word.endswith(("ss", "us", "is", "news", "ics", "sus")): return word[:-1]
        return word
    word = cut(word)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def stems(text):
    return [stem(word) for word in re.findall(r"[^\W_]+(?:['.,][^\W_]+)*", text.lower().replace("’", "'"))]


def sentences(text):
    return [part.strip() for part in re.split(r"(?<=[.!?])[\"”']?\s+(?=[A-Z\"“(0-9•*-])|\n+", text) if part.strip()]


def window(source, claim):
    parts = sentences(source)
    sizes = [len(part.split()) for part in parts]
    if sum(sizes) <= WINDOW_WORDS:
        return " ".join(parts)
    wanted = {word for word in stems(claim) if word not in SMALL}
    have = [set(stems(part)) & wanted for part in parts]
    count = collections.Counter(word for one in have for word in one)
    chosen, used, open_words = [], 0, set(count)
    while True:
        left = [i for i in range(len(parts)) if i not in chosen and used + sizes[i] <= WINDOW_WORDS]
        if not left:
            break
        gain = lambda i: sum(1 / count[word] for word in have[i] if word in open_words)
        best = max(left, key=lambda i: (gain(i), -i))
        if gain(best) <= 0:
            break
        chosen.append(best); used += sizes[best]; open_words -= have[best]
    near = [i + step for step in (1, -1) for i in list(chosen)] + list(range(len(parts)))
    for i in near:
        if 0 <= i < len(parts) and i not in chosen and used + sizes[i] <= WINDOW_WORDS:
            chosen.append(i); used += sizes[i]
    if not chosen:
        return " ".join(" ".join(parts).split()[:WINDOW_WORDS])
    return " ".join(parts[i] for i in sorted(chosen))


open("/tmp/vocab.txt", "w").write("\n".join(vocabulary))
tokenizer = BertWordPieceTokenizer("/tmp/vocab.txt", lowercase=True)
CLS, SEP = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")


def read(name):
    return [json.loads(line) for line in lzma.open(f"{DATA}/{name}", "rt")]


def cut_row(row):
    return window(row["source"], row["claim"])


def encoded(rows):
    import multiprocessing
    with multiprocessing.Pool(14) as pool:
        windows = pool.map(cut_row, rows, chunksize=256)
    claims = [one.ids for one in tokenizer.encode_batch([row["claim"] for row in rows], add_special_tokens=False)]
    windows = [one.ids for one in tokenizer.encode_batch(windows, add_special_tokens=False)]
    for row, claim, window in zip(rows, claims, windows):
        claim = [CLS] + claim[:CLAIM_PIECES] + [SEP]
        window = window[: PIECES - len(claim) - 1] + [SEP]
        row["ids"], row["own"] = claim + window, len(claim)
    return rows


def batches(rows, size, shuffle):
    order = list(range(len(rows)))
    if shuffle:
        random.shuffle(order)
        chunks = [sorted(order[at : at + size * 50], key=lambda i: len(rows[i]["ids"])) for at in range(0, len(order), size * 50)]
        order = [i for chunk in chunks for i in chunk]
    else:
        order.sort(key=lambda i: len(rows[i]["ids"]))
    made = [order[at : at + size] for at in range(0, len(order), size)]
    if shuffle:
        random.shuffle(made)
    for places in made:
        longest = max(len(rows[i]["ids"]) for i in places)
        longest = min(PIECES, (longest + 31) // 32 * 32)
        ids = np.zeros((len(places), longest), np.int64); second = np.zeros((len(places), longest), np.float32); here = np.zeros((len(places), longest), bool)
        for at, i in enumerate(places):
            n = len(rows[i]["ids"])
            ids[at, :n] = rows[i]["ids"]; second[at, rows[i]["own"] : n] = 1; here[at, :n] = True
        yield places, torch.tensor(ids).cuda(non_blocking=True), torch.tensor(second).cuda(non_blocking=True), torch.tensor(here).cuda(non_blocking=True)


def train(network, epochs, rate, size=64, decay=0.01, kept=0.998):
    """`epochs` is a list of lists of rows. The network is left with the running mean of its weights, which does better than the last step's."""
    network.train()
    mean = {key: value.detach().clone() for key, value in network.named_parameters()}
    steps = sum(math.ceil(len(rows) / size) for rows in epochs)
    parameters = [value for value in network.parameters() if value.requires_grad]
    head = {id(value) for value in network.head.parameters()}
    optimizer = torch.optim.AdamW([{"params": [value for value in parameters if id(value) not in head], "lr": rate}, {"params": list(network.head.parameters()), "lr": rate * 5}], weight_decay=decay, fused=True)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / (0.06 * steps + 1), max(0.0, (steps - step) / (0.94 * steps))))
    step = 0
    for rows in epochs:
        total = torch.zeros((), device="cuda"); count = 0
        for places, ids, second, here in batches(rows, size, True):
            label = torch.tensor([rows[i]["label"] for i in places], dtype=torch.float32, device="cuda") * 0.9 + 0.05
            weight = torch.tensor([rows[i].get("weight", 1.0) for i in places], device="cuda")
            with torch.autocast("cuda", torch.bfloat16):
                logit = network(ids, second, here)
            loss = (F.binary_cross_entropy_with_logits(logit, label, reduction="none") * weight).mean()
            optimizer.zero_grad(set_to_none=True); loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step(); plan.step(); step += 1
            share = max(1 - kept, 1 / (1 + step / 3))
            torch._foreach_lerp_(list(mean.values()), [value.detach() for value in parameters], share)
            total += loss.detach(); count += 1
        log("epoch of", len(rows), "loss", round(total.item() / max(count, 1), 4))
    with torch.no_grad():
        for key, value in network.named_parameters():
            value.copy_(mean[key])


@torch.no_grad()
def logits(network, rows):
    network.eval()
    found = np.zeros(len(rows), np.float32)
    for places, ids, second, here in batches(rows, 512, False):
        with torch.autocast("cuda", torch.bfloat16):
            found[places] = network(ids, second, here).float().cpu().numpy()
    return found


def auc(scores, labels):
    order = np.argsort(scores, kind="stable"); ranks = np.empty(len(scores)); ranks[order] = np.arange(1, len(scores) + 1)
    labels = np.asarray(labels); good = labels.sum(); bad = len(labels) - good
    return (ranks[labels == 1].sum() - good * (good + 1) / 2) / max(good * bad, 1)


def report(name, scores):
    sets = sorted({row["set"] for row in dev})
    values = {one: auc(scores[[row["set"] == one for row in dev]], [row["label"] for row in dev if row["set"] == one]) for one in sets}
    log(name, " ".join(f"{one} {value:.3f}" for one, value in values.items()), f"mean {np.mean(list(values.values())):.3f} pooled {auc(scores, [row['label'] for row in dev]):.3f}")


def rounded(network):
    """The network with its matrices in int8, as it ships."""
    made = Network().cuda(); made.load_state_dict(network.state_dict())
    for module in made.layers.modules():
        if isinstance(module, torch.nn.Linear):
            scale = module.weight.data.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            module.weight.data = (module.weight.data / scale).round().clamp(-127, 127) * scale
    scale = made.positions.data.abs().amax(1, keepdim=True) / 127
    made.positions.data = (made.positions.data / scale).round() * scale
    return made


def packed(network):
    def matrix(weight):
        weight = weight.detach().float().cpu().numpy()
        scale = np.maximum(np.abs(weight).max(1), 1e-8).astype(np.float32) / np.float32(127)
        return scale.tobytes() + np.clip(np.rint(weight / scale[:, None]), -127, 127).astype(np.int8).tobytes()
    def plain(*values):
        return b"".join(value.detach().float().cpu().numpy().astype(np.float32).tobytes() for value in values)
    made = b"CHICLAIM" + struct.pack("<6I", 1, HIDDEN, LAYERS, HEADS, WIDE, PIECES)
    made += matrix(network.positions) + plain(network.second, network.first.weight, network.first.bias)
    for layer in network.layers:
        made += matrix(layer.inner.weight) + plain(layer.inner.bias) + matrix(layer.out.weight) + plain(layer.out.bias, layer.norm.weight, layer.norm.bias)
        made += matrix(layer.widen.weight) + plain(layer.widen.bias) + matrix(layer.narrow.weight) + plain(layer.narrow.bias, layer.last.weight, layer.last.bias)
    return made + plain(network.head.weight[0], network.head.bias)


pairs, dev = encoded(read("pairs.jsonl.xz")), encoded(read("dev.jsonl.xz"))
log("rows", len(pairs), len(dev), "mean pieces", np.mean([len(row["ids"]) for row in dev]))
COPIES = {"cg2c_news": 3, "summedits": 3, "defacto": 3, "factcheck_gpt": 2, "wice": 2, "fib": 1, "scitldr": 0.7}
MADE = float(OPTIONS.get("made", 0.45))


def mixture():
    """An epoch of document kinds: each as often as above, made ones in part, both labels alike."""
    found = []
    for row in documents:
        copies = COPIES.get(row["kind"], 1.0 if row["label"] else MADE)
        copies = int(copies) + (random.random() < copies % 1)
        found += [row] * copies
    good = [row for row in found if row["label"]]; bad = [row for row in found if not row["label"]]
    if len(bad) > 1.3 * len(good):
        bad = random.sample(bad, int(1.3 * len(good)))
    return good + bad


sentence_kinds = [row for row in pairs if row["kind"] in ("mnli", "fever")]
documents = [row for row in pairs if row["kind"] not in ("mnli", "fever")]
fit = [row for row in dev if row["fit"]]
RATE = float(OPTIONS.get("rate", 1e-4))
good = sum(row["label"] for row in sentence_kinds) / len(sentence_kinds)
for row in sentence_kinds:
    row["weight"] = 0.5 / good if row["label"] else 0.5 / (1 - good)
train(network, [sentence_kinds], RATE)
report("sentences", logits(network, dev))
train(network, [mixture() for _ in range(int(OPTIONS.get("epochs", 2)))], RATE)
base = logits(network, dev)
report("documents", base)
state = {key: value.clone() for key, value in network.state_dict().items()}
REPEAT, LAST = int(OPTIONS.get("last_epochs", 3)), float(OPTIONS.get("last_rate", 5e-5))


TIMES, KEPT = int(OPTIONS.get("times", 3)), float(OPTIONS.get("kept", 0.25))


def last(rows):
    """The mean of several networks that were fitted to the rows from one beginning, and of that beginning."""
    total = {key: value * KEPT for key, value in state.items() if value.is_floating_point() and key != "table"}
    for _ in range(TIMES):
        network.load_state_dict(state)
        train(network, [rows * 2 + random.sample(documents, int(float(OPTIONS.get("mixed", 1.0)) * len(rows))) for _ in range(REPEAT)], LAST, kept=0.99)
        for key, value in network.state_dict().items():
            if key in total:
                total[key] += value * (1 - KEPT) / TIMES
    network.load_state_dict({**state, **total})
    return rounded(network)


scores = np.zeros(len(dev), np.float32)
for fold in range(FOLDS):
    made = last([row for row in fit if row["fold"] != fold])
    places = [i for i, row in enumerate(dev) if row["fold"] == fold]
    scores[places] = logits(made, [dev[i] for i in places])
report("folds", scores)
np.savez(f"{OUT}/logits{SEED}.npz", base=base, folds=scores, ids=np.array([row["id"] for row in dev]))
made = last(fit)
open(f"{OUT}/claims-int8-{SEED}.bin", "wb").write(packed(made))
log("done")
