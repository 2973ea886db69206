import json

import pytest

from recursive_tf._cli.schedule_plot import _count_colours, _count_ticks, _in_words


@pytest.mark.parametrize("name", ["schedule.svg", "schedule.json"])
def test_trace_draws_a_schedule(run, name, tmp_path):
  path = tmp_path / "new" / name
  status, output, _ = run("trace", "treelstm", "--batch-size", 3, "--backward", "--out", path)
  assert status == 0 and "forward:" in output and "backward:" in output
  if name.endswith(".json"):
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["cat"] for event in events} == {"forward", "backward"}
    assert all(event["dur"] >= 0 and event["args"]["frames"] > 0 for event in events)
  else:
    assert path.read_text().startswith("<?xml")


def test_trace_says_which_files_it_writes(run, tmp_path):
  status, _, error = run("trace", "treelstm", "--out", tmp_path / "schedule.txt")
  assert status == 2 and ".svg" in error and ".json" in error


@pytest.mark.parametrize(
  ("block", "words"),
  [
    ("tree", "tree"),
    ("tree:3", "tree, part 3"),
    ("tree.false.true:2", "tree, if false, if true, part 2"),
    ("a.b:c", "a.b:c"),
  ],
)
def test_blocks_are_said_in_words(block, words):
  assert _in_words(block) == words


@pytest.mark.parametrize("largest", [1, 3, 8])
def test_a_scale_of_few_frames_has_a_tick_for_each_count(largest):
  assert _count_ticks(_count_colours(largest)).tolist() == list(range(1, largest + 1))
