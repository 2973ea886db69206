"""Finds the commands of `recursive-tf` in pages and in help, and parses them as it would."""

import contextlib
import io
import re
import shlex
from typing import NamedTuple

from recursive_tf._cli.options import make_parser

NAME = "recursive-tf"
_PUNCTUATION = set("|;&<>()")
# What stands for any number, or any command, in prose and in help.
_STAND_INS = {"N": "1", "COMMAND": "train"}
# What a mention in prose leaves out: arguments, most of them names of directories.
_ARGUMENTS = ((), ("treelstm",), ("a",), ("a", "b"))


class Command(NamedTuple):
  """A command as a page prints it.

  Attributes:
    page: where it stands.
    line: number of its line, the first being 1.
    text: the whole line, or lines, of a block; of prose what stands between the backquotes.
    language: that of the block, such as "sh"; empty in an indented block, None in prose.
  """

  page: str
  line: int
  text: str
  language: str | None

  @property
  def is_whole(self):
    """Whether it could be typed as it stands: in prose, one that lacks nothing."""
    if self.language is not None:
      return True
    words = arguments_of(self.text)
    return len(words) > 1 and not any(word.isupper() for word in words)

  def __str__(self):
    return f"{self.page}:{self.line}: {self.text}"


def of_page(page, text):
  """Returns the commands of a page of Markdown."""
  lines = text.split("\n")
  found, prose = [], list(lines)
  language = None
  number = 0
  while number < len(lines):
    line = lines[number]
    is_indented = language is None and line.startswith("    ")
    if fence := re.match(r"\s*```(\w*)", line):
      language = fence[1] if language is None else None
    if fence or language is not None or is_indented:
      prose[number] = ""
    first = number
    if language != "python" and (language is not None or is_indented) and not fence:
      while line.endswith("\\"):
        number += 1
        line = f"{line[:-1]} {lines[number].strip()}"
        prose[number] = ""
      if arguments_of(line) is not None:
        found.append(Command(page, first + 1, line.strip(), language or ""))
    number += 1
  return sorted(found + _of_prose(page, "\n".join(prose)), key=lambda command: command.line)


def _of_prose(page, text):
  """Returns what stands between backquotes, over the end of a line, too."""
  return [
    Command(page, text.count("\n", 0, span.start()) + 1, " ".join(span[1].split()), None)
    for span in re.finditer(rf"`((?:\S*/)?{NAME} [^`]*)`", text)
  ]


def of_help(parser):
  """Returns the commands in the help of a parser, but for its usage; notes begin at two spaces."""
  lines = parser.format_help().split("\n")
  # As argparse indents it.
  shown = [re.split(r"(?<=\S)  ", line.strip())[0] for line in lines]
  return [
    Command(f"{parser.prog} --help", number, line, "")
    for number, line in enumerate(shown, 1)
    if not line.startswith("usage:") and re.search(rf"(^|\| ){NAME} ", line)
  ]


def arguments_of(text):
  """Returns the arguments of the first such command in a line of a shell, None if there is none.

  A comment, what the output goes to and the commands around it do not belong to it.
  """
  if NAME not in text:
    return None
  lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
  lexer.whitespace_split = True
  try:
    words = list(lexer)
  except ValueError:  # A quotation that ends elsewhere: another language.
    return None
  for place, word in enumerate(words):
    if word.rpartition("/")[2] == NAME:
      rest = words[place + 1 :]
      ends = [end for end, other in enumerate(rest) if set(other) <= _PUNCTUATION]
      return rest[: ends[0]] if ends else rest
  return None


def error_of(command):
  """Returns what is wrong with a command, None if the command line would take it.

  In prose it may lack arguments. Options have to be there under their whole names: a beginning
  would do until there is another option with the same.
  """
  arguments = [_STAND_INS.get(word, word) for word in arguments_of(command.text) or ()]
  fillings = _ARGUMENTS if command.language is None else ((),)
  errors = [_error([*arguments, *filling]) for filling in fillings]
  if None not in errors:
    return errors[0] if not _lacks_arguments(errors[0]) else errors[-1]
  known = {"--help", "--version"}
  commands = make_parser().commands
  if arguments[0] in commands:
    known.update(commands[arguments[0]].option_names())
  given = [word.partition("=")[0] for word in arguments if word.startswith("--")]
  unknown = [option for option in given if option not in known]
  return f"there is no option {unknown[0]}" if unknown else None


def _lacks_arguments(message):
  return "arguments are required" in message


def _error(arguments):
  with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
    try:
      make_parser().parse_args(arguments)
    except SystemExit as end:
      return said.getvalue().strip() if end.code else None
  return None
