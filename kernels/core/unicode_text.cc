#include "kernels/core/unicode_text.h"

#include <algorithm>
#include <limits>

namespace recursive_tf {
namespace {

bool IsFirstByte(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

int64_t NumCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), IsFirstByte);
}

// Returns where the character after the one at `byte` begins.
size_t Next(std::string_view text, size_t byte) {
  do {
    ++byte;
  } while (byte < text.size() && !IsFirstByte(text[byte]));
  return byte;
}

// Returns where the character before the place `byte` begins.
size_t Previous(std::string_view text, size_t byte) {
  do {
    --byte;
  } while (byte > 0 && !IsFirstByte(text[byte]));
  return byte;
}

// Returns the byte at which the character at a place begins; the place is from
// 0 to the number of characters.
size_t ByteOf(std::string_view text, int64_t place) {
  size_t byte = 0;
  for (; place > 0; --place) byte = Next(text, byte);
  return byte;
}

// Returns the code point of one character.
int32_t Code(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  int32_t code = first & (0x7F >> character.size());
  for (const char byte : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  }
  return code;
}

bool IsIn(int32_t code, const CodeRanges& ranges) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code);
  return (after - ranges.begin()) % 2 == 1;
}

int64_t CountParts(std::string_view text, std::string_view part) {
  if (part.empty()) return NumCharacters(text) + 1;
  int64_t count = 0;
  size_t byte = text.find(part);
  while (byte != std::string_view::npos) {
    ++count;
    byte = text.find(part, byte + part.size());
  }
  return count;
}

bool StartsWith(std::string_view text, std::string_view part) {
  return text.substr(0, part.size()) == part;
}

bool EndsWith(std::string_view text, std::string_view part) {
  return text.size() >= part.size() &&
         text.substr(text.size() - part.size()) == part;
}

int64_t Unbounded(int64_t most) {
  return most < 0 ? std::numeric_limits<int64_t>::max() : most;
}

}  // namespace

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> found;
  for (size_t byte = 0; byte < text.size();) {
    const size_t next = Next(text, byte);
    found.push_back(text.substr(byte, next - byte));
    byte = next;
  }
  return found;
}

int32_t CodeOf(std::string_view text) {
  if (text.empty() || Next(text, 0) != text.size()) return -1;
  return Code(text);
}

int64_t SearchText(Search search, std::string_view text, std::string_view part,
                   int64_t start, int64_t stop) {
  const int64_t length = NumCharacters(text);
  stop = std::min(stop, length);
  if (stop < 0) stop = std::max<int64_t>(stop + length, 0);
  // A start of -2**63 is below all lengths; the sum cannot wrap.
  if (start < 0) start = std::max<int64_t>(start + length, 0);
  const bool is_place = search == Search::kFind || search == Search::kFindLast;
  if (start > stop) return is_place ? -1 : 0;
  const size_t first = ByteOf(text, start);
  const std::string_view within =
      text.substr(first, ByteOf(text, stop) - first);
  switch (search) {
    case Search::kCount:
      return CountParts(within, part);
    case Search::kStartsWith:
      return StartsWith(within, part) ? 1 : 0;
    case Search::kEndsWith:
      return EndsWith(within, part) ? 1 : 0;
    case Search::kFind:
    case Search::kFindLast:
      break;
  }
  const size_t byte =
      search == Search::kFind ? within.find(part) : within.rfind(part);
  if (byte == std::string_view::npos) return -1;
  return start + NumCharacters(within.substr(0, byte));
}

std::string ReplaceText(std::string_view text, std::string_view old,
                        std::string_view replacement, int64_t count) {
  count = Unbounded(count);
  std::string result;
  size_t byte = 0;
  while (count > 0) {
    const size_t found = text.find(old, byte);
    if (found == std::string_view::npos) break;
    --count;
    result.append(text.substr(byte, found - byte)).append(replacement);
    byte = found + old.size();
    if (!old.empty()) continue;
    if (byte == text.size()) return result;  // Nothing is found once more.
    const size_t next = Next(text, byte);
    result.append(text.substr(byte, next - byte));
    byte = next;
  }
  return result.append(text.substr(byte));
}

std::string_view StripText(std::string_view text, std::string_view characters,
                           bool at_start, bool at_end) {
  const std::vector<std::string_view> all = Characters(characters);
  const auto is_among = [&all](std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  while (at_start && !text.empty()) {
    const size_t next = Next(text, 0);
    if (!is_among(text.substr(0, next))) break;
    text.remove_prefix(next);
  }
  while (at_end && !text.empty()) {
    const size_t last = Previous(text, text.size());
    if (!is_among(text.substr(last))) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

std::vector<std::string_view> SplitText(std::string_view text,
                                        std::string_view separator,
                                        int64_t most, bool from_right) {
  std::vector<std::string_view> parts;
  for (most = Unbounded(most); most > 0; --most) {
    const size_t byte =
        from_right ? text.rfind(separator) : text.find(separator);
    if (byte == std::string_view::npos) break;
    if (from_right) {
      parts.push_back(text.substr(byte + separator.size()));
      text = text.substr(0, byte);
    } else {
      parts.push_back(text.substr(0, byte));
      text.remove_prefix(byte + separator.size());
    }
  }
  parts.push_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> SplitAtSpaces(std::string_view text,
                                            std::string_view spaces,
                                            int64_t most, bool from_right) {
  const std::vector<std::string_view> all = Characters(spaces);
  const auto is_space = [&all](std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  std::vector<std::string_view> parts;
  most = Unbounded(most);
  while (true) {
    text = StripText(text, spaces, !from_right, from_right);
    if (text.empty()) break;
    if (most == 0) {  // All that is left, without spaces at its other end.
      parts.push_back(text);
      break;
    }
    --most;
    if (from_right) {
      size_t start = text.size();
      while (start > 0) {
        const size_t previous = Previous(text, start);
        if (is_space(text.substr(previous, start - previous))) break;
        start = previous;
      }
      parts.push_back(text.substr(start));
      text = text.substr(0, start);
    } else {
      size_t end = 0;
      while (end < text.size()) {
        const size_t next = Next(text, end);
        if (is_space(text.substr(end, next - end))) break;
        end = next;
      }
      parts.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

bool HasSomeAndNone(std::string_view text, const CodeRanges& some,
                    const CodeRanges& none) {
  bool has_some = false;
  for (const std::string_view character : Characters(text)) {
    const int32_t code = Code(character);
    if (IsIn(code, none)) return false;
    has_some = has_some || IsIn(code, some);
  }
  return has_some;
}

}  // namespace recursive_tf
