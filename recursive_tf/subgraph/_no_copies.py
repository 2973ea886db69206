"""What cannot be pickled or copied says so, and what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn

from recursive_tf._errors import CopyError


class NotCopied:
  """Base of what holds a graph, which lives in one process and only once."""

  def __reduce_ex__(self, protocol: Any) -> NoReturn:
    """Refuses `pickle.dumps`, `copy.copy` and `copy.deepcopy`."""
    raise CopyError(
      f"{self!r} cannot be pickled or copied: it is a graph of this process. Keep the code that"
      " makes it, and save its weights (tf.train.Checkpoint, model.save_weights); or export it with"
      " tf.saved_model.save, to be loaded where recursive_tf is imported."
    )
