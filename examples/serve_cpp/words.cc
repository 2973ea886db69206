#include "words.h"

#include <fstream>
#include <stdexcept>

namespace serve {
namespace {

constexpr std::string_view kCapitalSigma = "\xCE\xA3";

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path +
                             ": cannot be read. Is this what export wrote?");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) < 0xC2   ? 0
                        : byte(0) < 0xE0 ? 2
                        : byte(0) < 0xF0 ? 3
                        : byte(0) < 0xF5 ? 4
                                         : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  // Longer than need be, halves of UTF-16 pairs, and past the last character.
  if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;
  if (byte(0) == 0xED && byte(1) >= 0xA0) return 0;
  if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;
  if (byte(0) == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

namespace {

// Returns the number or truth that export wrote under a name at the outermost
// level of model.json, on a line of its own.
std::string StatedIn(const std::string& path, const std::string& name) {
  const std::string begin = "  \"" + name + "\": ";
  for (const std::string& line : ReadLines(path)) {
    if (line.compare(0, begin.size(), begin) == 0)
      return line.substr(begin.size(),
                         line.find_last_not_of(", \r") + 1 - begin.size());
  }
  throw std::runtime_error(path + ": does not say \"" + name + "\".");
}

}  // namespace

Words::Words(const std::string& folder) {
  const std::string about = folder + "/model.json";
  for (std::string& word : ReadLines(folder + "/vocabulary.txt")) {
    ids_.emplace(std::move(word), static_cast<int32_t>(ids_.size()));
  }
  // The words of another model have other ids: that would be other answers.
  if (StatedIn(about, "words") != std::to_string(ids_.size()))
    throw std::runtime_error(
        folder + "/vocabulary.txt: has " + std::to_string(ids_.size()) +
        " words, but model.json says " + StatedIn(about, "words") + ".");
  const std::string table = folder + "/lowercase.txt";
  if (StatedIn(about, "lowercase") != "true") return;
  for (const std::string& line : ReadLines(table)) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos)
      throw std::runtime_error(table + ": a line without a tab.");
    lowercase_.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
}

int32_t Words::Id(std::string_view word) const {
  const auto found = ids_.find(Lowercase(word));
  return found == ids_.end() ? 0 : found->second;
}

bool Words::IsAmbiguous(std::string_view word) const {
  return !lowercase_.empty() &&
         word.find(kCapitalSigma) != std::string_view::npos;
}

std::string Words::Lowercase(std::string_view word) const {
  if (lowercase_.empty()) return std::string(word);
  std::string result;
  while (!word.empty()) {
    const std::string character(word.substr(0, Utf8Length(word)));
    const auto found = lowercase_.find(character);
    result += found == lowercase_.end() ? character : found->second;
    word.remove_prefix(character.size());
  }
  return result;
}

}  // namespace serve
