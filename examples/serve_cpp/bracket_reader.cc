#include "bracket_reader.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>
#include <vector>

namespace serve {
namespace {

constexpr std::string_view kBreaks = " \t\r\n()";
constexpr size_t kLongestLabel = 9;

// The labels of the Penn Treebank, as in datasets/brackets.py.
const std::unordered_set<std::string_view>& PennLabels() {
  static const auto* const labels = new std::unordered_set<std::string_view>{
      "S",      "SBAR",  "SBARQ", "SINV", "SQ",  "ADJP",   "ADVP",   "CONJP",
      "FRAG",   "INTJ",  "LST",   "NAC",  "NP",  "NX",     "PP",     "PRN",
      "PRT",    "QP",    "RRC",   "UCP",  "VP",  "WHADJP", "WHADVP", "WHNP",
      "WHPP",   "X",     "ROOT",  "TOP",  "CC",  "CD",     "DT",     "EX",
      "FW",     "IN",    "JJ",    "JJR",  "JJS", "LS",     "MD",     "NN",
      "NNS",    "NNP",   "NNPS",  "PDT",  "POS", "PRP",    "PRP$",   "RB",
      "RBR",    "RBS",   "RP",    "SYM",  "TO",  "UH",     "VB",     "VBD",
      "VBG",    "VBN",   "VBP",   "VBZ",  "WDT", "WP",     "WP$",    "WRB",
      "-NONE-", "-LRB-", "-RRB-"};
  return *labels;
}

bool IsUpper(char c) { return 'A' <= c && c <= 'Z'; }
bool IsDigit(char c) { return '0' <= c && c <= '9'; }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool IsLetter(char c) { return IsUpper(c) || ('a' <= c && c <= 'z'); }

bool IsNumber(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

bool IsMark(std::string_view text) {
  static const auto* const marks = new std::unordered_set<std::string_view>{
      ",", ".", ":", "``", "''", "$", "#", "HYPH"};
  return marks->count(text) > 0;
}

// Whether it is a label with functions, such as NP-SBJ or NP=2.
bool IsFunctionLabel(std::string_view text) {
  constexpr std::string_view kSigns = "-=|";
  size_t sign = text.find_first_of(kSigns);
  if (sign == std::string_view::npos ||
      PennLabels().count(text.substr(0, sign)) == 0)
    return false;
  while (sign != std::string_view::npos) {
    const size_t next = text.find_first_of(kSigns, sign + 1);
    const std::string_view part = text.substr(sign + 1, next - sign - 1);
    if (part.empty()) return false;
    for (char c : part) {
      if (!IsUpper(c) && !IsDigit(c)) return false;
    }
    sign = next;
  }
  return true;
}

bool IsLabel(std::string_view text) {
  return text == "_" || PennLabels().count(text) > 0 || IsNumber(text) ||
         IsFunctionLabel(text) ||
         IsMark(text);  // A mark is taken back in `Close`, if no mark follows.
}

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// A bracket whose ')' is still to come.
struct OpenBracket {
  size_t offset;           // Where its '(' is.
  std::string_view label;  // Empty if it has none.
  size_t label_offset = 0;
  bool is_fresh = true;  // Nothing followed the '(' yet, so that a label may.
  std::vector<int32_t> children = {};  // Rows.
  std::string_view first_word = {};    // If the first child is a word.
};

class Reader {
 public:
  Reader(std::string_view line, int num_labels, const Words& words,
         PackedTrees* trees)
      : line_(line), num_labels_(num_labels), words_(words), trees_(trees) {}

  int32_t Read() {
    CheckUtf8();
    size_t offset = line_.find_first_not_of(" \t\r\n");
    while (offset != std::string_view::npos) {
      size_t end = offset + 1;
      if (line_[offset] != '(' && line_[offset] != ')') {
        end = std::min(line_.find_first_of(kBreaks, offset), line_.size());
      }
      Take(line_.substr(offset, end - offset), offset);
      offset = line_.find_first_not_of(" \t\r\n", end);
    }
    if (root_ < 0) FailAtEnd();
    return root_;
  }

 private:
  void Take(std::string_view token, size_t offset) {
    if (root_ >= 0)
      Fail(offset, "the end of the line after the last ')'", Quoted(token));
    if (token == "(") {
      if (!open_.empty()) open_.back().is_fresh = false;
      open_.push_back({offset, {}});
    } else if (open_.empty()) {
      Fail(offset, "'('", Quoted(token));
    } else if (token == ")") {
      Close(offset);
    } else {
      TakeLabelOrWord(token, offset);
    }
  }

  void TakeLabelOrWord(std::string_view token, size_t offset) {
    OpenBracket& bracket = open_.back();
    if (bracket.is_fresh && IsLabel(token)) {
      bracket.label = token;
      bracket.label_offset = offset;
      if (IsNumber(token)) CheckNumber(token, offset);
    } else {
      if (bracket.children.empty()) bracket.first_word = token;
      bracket.children.push_back(AddLeaf(token, offset));
    }
    bracket.is_fresh = false;
  }

  void CheckNumber(std::string_view token, size_t offset) {
    const std::string text(token);
    const long number = text.size() > kLongestLabel
                            ? -1
                            : std::strtol(text.c_str(), nullptr, 10);
    if (0 <= number && number < num_labels_) return;
    Fail(offset,
         "a label 0.." + std::to_string(num_labels_ - 1) +
             " at the beginning of a bracket (a number that is a word is "
             "written behind '_': (_ " +
             text + " ...))",
         Quoted(token));
  }

  void Close(size_t offset) {
    const OpenBracket bracket = std::move(open_.back());
    open_.pop_back();
    std::vector<int32_t> children = bracket.children;
    if (IsWordAfterAll(bracket)) {
      children.insert(children.begin(),
                      AddLeaf(bracket.label, bracket.label_offset));
    }
    if (children.empty()) {
      const std::string after =
          bracket.label.empty() ? ""
                                : " after the label " + Quoted(bracket.label);
      Fail(offset, "a word or '('" + after, "')'");
    }
    const int32_t row = Join(children);
    if (open_.empty()) {
      root_ = row;
      return;
    }
    open_.back().children.push_back(row);
  }

  // Whether what was taken for a label is a word: "(TO)", "(, and)", but not
  // "(. !)".
  bool IsWordAfterAll(const OpenBracket& bracket) {
    if (bracket.label.empty() || bracket.label == "_" ||
        IsNumber(bracket.label))
      return false;
    if (!IsMark(bracket.label)) return bracket.children.empty();
    if (bracket.children.size() != 1 || bracket.first_word.empty()) return true;
    const std::string_view word = bracket.first_word;
    if (std::any_of(word.begin(), word.end(),
                    [](char c) { return IsLetter(c) || IsDigit(c); })) {
      return true;
    }
    if (std::all_of(word.begin(), word.end(), IsAscii)) return false;
    // Whether it is a letter is more than this program knows.
    Fail(bracket.label_offset,
         "'_' before " + Quoted(bracket.label) + " if it is a word",
         "a word behind it that is not ASCII");
  }

  int32_t AddLeaf(std::string_view word, size_t offset) {
    if (words_.IsAmbiguous(word)) {
      Fail(offset, "a word in lower case",
           Quoted(word) + " with a capital sigma");
    }
    return AddRow({words_.Id(word), -1, -1, -1});
  }

  // Makes one node of children; right-branching if there are more than two.
  int32_t Join(const std::vector<int32_t>& children) {
    int32_t row = children.back();
    for (size_t i = children.size() - 1; i-- > 0;)
      row = AddRow({-1, children[i], row, -1});
    return row;
  }

  int32_t AddRow(const NodeRow& row) {
    trees_->nodes.push_back(row);
    return static_cast<int32_t>(trees_->nodes.size()) - 1;
  }

  void CheckUtf8() {
    for (size_t i = 0; i < line_.size();) {
      const size_t length = Utf8Length(line_.substr(i));
      if (length == 0) throw BadLine(Column(i), "this is not UTF-8");
      i += length;
    }
  }

  [[noreturn]] void FailAtEnd() {
    const size_t end = line_.find_last_not_of(" \t\r\n\v\f") + 1;
    if (open_.empty()) Fail(end, "'('", "the end of the line");
    const std::string missing =
        open_.size() == 1 ? "a ')'"
                          : std::to_string(open_.size()) + " more ')'";
    Fail(end,
         missing + ", the first for the '(' in column " +
             std::to_string(Column(open_.back().offset)),
         "the end of the line");
  }

  [[noreturn]] void Fail(size_t offset, const std::string& expected,
                         const std::string& got) {
    throw BadLine(Column(offset),
                  "malformed tree: expected " + expected + ", got " + got);
  }

  // Counts the characters before `offset`, which all but their first bytes are
  // left out of.
  size_t Column(size_t offset) const {
    return 1 + std::count_if(line_.begin(), line_.begin() + offset, [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
           });
  }

  const std::string_view line_;
  const int num_labels_;
  const Words& words_;
  PackedTrees* const trees_;
  std::vector<OpenBracket> open_;
  int32_t root_ = -1;
};

}  // namespace

void ReadTree(std::string_view line, int num_labels, const Words& words,
              PackedTrees* trees) {
  const size_t num_before = trees->nodes.size();
  try {
    trees->roots.push_back(Reader(line, num_labels, words, trees).Read());
  } catch (const BadLine&) {
    trees->nodes.resize(num_before);
    throw;
  }
}

}  // namespace serve
