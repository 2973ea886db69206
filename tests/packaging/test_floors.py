"""The C++ floors: a file includes its own floor or a lower one, and some know no TensorFlow."""

import re

import pytest

FLOORS = {"core": 0, "python": 1, "runtime": 1, "ops": 2, "op_kernels": 2}
PLAIN = ("core", "python")
TENSORFLOW = ("tensorflow/", "tsl/", "xla/", "unsupported/", "Eigen/")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def find_violations(path, text):
  """Lists the includes in `text` that the file `path` ("kernels/core/x.h") may not have."""
  floor = path.split("/")[1]
  found = []
  for include in INCLUDE.findall(text):
    if floor in PLAIN and include.startswith(TENSORFLOW):
      found.append(f"{path} includes {include}: {floor} knows no TensorFlow")
    if floor != "python" and include == "Python.h":
      found.append(f"{path} includes {include}: kernels run without Python")
    match = re.match(r"kernels/(\w+)/", include)
    if match and match[1] != floor and FLOORS[match[1]] >= FLOORS[floor]:
      found.append(f"{path} includes {include}: not a lower floor")
  return found


@pytest.mark.parametrize("floor", FLOORS)
def test_files_of_a_floor_include_no_higher_one(repository, floor):
  paths = [p for p in (repository / "kernels" / floor).rglob("*") if p.suffix in (".cc", ".h")]
  assert paths, f"no C++ files under kernels/{floor}"
  names = ((str(p.relative_to(repository)), p.read_text()) for p in paths)
  assert [line for name, text in names for line in find_violations(name, text)] == []


@pytest.mark.parametrize(
  "path, include",
  [
    ("kernels/core/a.h", '#include "tensorflow/core/framework/tensor.h"'),
    ("kernels/core/a.h", "#  include <tsl/platform/status.h>"),
    ("kernels/python/a.h", '#include "tensorflow/core/framework/tensor.h"'),
    ("kernels/python/a.h", '#include "kernels/runtime/run.h"'),
    ("kernels/runtime/a.cc", "#include <Python.h>"),
    ("kernels/core/a.cc", '#include "kernels/runtime/run.h"'),
    ("kernels/runtime/a.cc", '#include "kernels/op_kernels/invoke.h"'),
    ("kernels/ops/a.cc", '#include "kernels/op_kernels/invoke.h"'),
  ],
)
def test_a_forbidden_include_is_found(path, include):
  assert len(find_violations(path, f"// A comment.\n{include}\n")) == 1


def test_lower_floors_and_abseil_are_allowed():
  text = '#include "kernels/core/a.h"\n#include "absl/base/attributes.h"\n#include <vector>\n'
  assert find_violations("kernels/runtime/b.h", text) == []
