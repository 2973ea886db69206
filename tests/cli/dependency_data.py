"""Pairs of sentences in SICK's layout, and a treebank in CoNLL-U, small enough for tests."""

NOUNS, VERBS = ("dog", "cat", "bird"), ("sleeps", "sings")


def make_pairs(folder, count):
  """Writes pairs that are more related the more words they share."""
  for split in ("train", "dev", "test"):
    columns = {name: [] for name in ("a.toks", "b.toks", "sim.txt", "id.txt")}
    for k in range(count):
      a = (NOUNS[k % 3], VERBS[k % 2])
      b = (NOUNS[k // 2 % 3], VERBS[k // 3 % 2])
      columns["a.toks"].append(f"The {a[0]} {a[1]}")
      columns["b.toks"].append(f"The {b[0]} {b[1]}")
      columns["sim.txt"].append(str(1 + 2 * sum(x == y for x, y in zip(a, b, strict=True))))
      columns["id.txt"].append(str(k + 1))
    for side in "ab":
      columns[f"{side}.parents"] = ["2 3 0"] * count
      columns[f"{side}.rels"] = ["det nsubj root"] * count
    (folder / split).mkdir(parents=True)
    for name, lines in columns.items():
      (folder / split / name).write_text("".join(f"{line}\n" for line in lines))


def make_treebank(folder, count):
  """Writes sentences of four words with their relations."""
  folder.mkdir()
  line = "{}\t{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n"
  for split in ("train", "dev", "test"):
    sentences = []
    for k in range(count):
      words = ("the", NOUNS[k % 3], VERBS[k % 2], NOUNS[(k + 1) % 3])
      found = zip(words, (2, 3, 0, 3), ("det", "nsubj", "root", "obj"), strict=True)
      sentences.append("".join(line.format(i, w, h, r) for i, (w, h, r) in enumerate(found, 1)))
    (folder / f"x-{split}.conllu").write_text("\n".join(sentences))
