"""Games and puzzles on a list that is passed in: it is looked at before anything is written."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_two

_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def moves(f, board, depth):
  """Counts games: the squares that are free are found first, and only that ends the recursion."""
  free = [i for i in range(len(board)) if board[i] == " "]
  if depth == 0 or not free:
    return 0
  total = 0
  for i in free:
    board[i] = "X"
    total += 1 + f(board, depth - 1)
    board[i] = " "
  return total


def all_there(f, board, depth):
  if depth == 0 or all(square != " " for square in board):
    return len(board)
  i = board.index(" ")
  board[i] = "O"
  found = f(board, depth - 1)
  board[i] = " "
  return found + 1


def left_over(f, board, depth):
  """What is written stays."""
  if depth == 0 or " " not in board:
    return board
  board[board.index(" ")] = "X" if depth % 2 else "O"
  return f(board, depth - 1)


def joined(f, board, depth):
  if " " not in "".join(board) or not depth:
    return ["".join(board)]
  found = []
  for i in range(len(board)):
    if board[i] == " ":
      board[i] = "x"
      found += f(board, depth - 1)
      board[i] = " "
  return found


def _winner(board):
  for a, b, c in _LINES:
    if board[a] != " " and board[a] == board[b] == board[c]:
      return board[a]
  return None


def minimax(f, board, depth):
  winner = _winner(board)
  if winner is not None:
    return (1 if winner == "X" else -1), None
  free = [i for i in range(9) if board[i] == " "]
  if not free or depth == 0:
    return 0, None
  player = "X" if len(free) % 2 else "O"
  best, best_move = (-10 if player == "X" else 10), None
  for move in free:
    board[move] = player
    score, _ = f(board, depth - 1)
    board[move] = " "
    if score > best if player == "X" else score < best:
      best, best_move = score, move
  return best, best_move


BOARDS = {
  "moves": (moves, ["XX  ", "XOX", "   ", ""]),
  "all_there": (all_there, ["XX  ", "XOX", "   ", ""]),
  "left_over": (left_over, ["XX  ", "XOX", "   ", ""]),
  "joined": (joined, ["X ", "XO", "  x"]),
  "minimax": (minimax, ["XXXOO    ", "XOXOXOOXO", "XOX O   X", "XX OO    "]),
}


@pytest.mark.parametrize("game", BOARDS)
def test_the_squares_of_a_board_are_read_first(game):
  play, boards = BOARDS[game]
  agrees(of_two(play), lambda: [(list(board), 3) for board in boards], CONVERTED)


def test_squares_that_are_objects():
  class Piece:
    def __init__(self, side, worth):
      self.side, self.worth = side, worth

  def take(f, pieces, side):
    own = [i for i in range(len(pieces)) if pieces[i] is not None and pieces[i].side == side]
    if not own:
      return 0
    worth = pieces[own[0]].worth
    pieces[own[0]] = None
    return worth + f(pieces, 3 - side)

  def pieces(*sides):
    return [Piece(side, i + 1) for i, side in enumerate(sides)]

  agrees(of_two(take), lambda: [(pieces(1, 2, 1, 2), 1), (pieces(2, 2, 1), 2), (pieces(), 1)], None)


def test_numbers_are_asked_for_first():
  def queens(f, columns, row):
    """Counts the ways to put a queen in each row."""
    free = [c for c in range(len(columns)) if columns[c] < 0]
    if not free:
      return 1
    total = 0
    for c in free:
      if all(columns[o] < 0 or abs(columns[o] - row) != abs(o - c) for o in range(len(columns))):
        columns[c] = row
        total += f(columns, row + 1)
        columns[c] = -1
    return total

  agrees(of_two(queens), lambda: [([-1] * size, 0) for size in (1, 4, 0, 5)], CONVERTED)
